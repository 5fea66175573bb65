import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';

import { encode } from 'gpt-tokenizer/encoding/o200k_base';

import { InMemoryVectorStore } from '../src/adapters/in-memory.js';
import { OnnxEmbedder } from '../src/adapters/onnx.js';
import { loadConfig } from '../src/config.js';
import { idOf } from '../src/domain/id.js';
import { BM25_PARAMETERS, DEFAULT_WEIGHTS } from '../src/domain/ranking.js';
import { ensureMiniLm } from '../src/setup/minilm.js';
import { NodeStore, type NewNode } from '../src/store/nodes.js';
import { Recall } from '../src/store/recall.js';
import { bm25Over, cosines, weightedSum } from './recall-baselines.js';
import { EmbeddingFile } from './recall-embeddings.js';
import { CATEGORIES, readData, readLocomo, type Conversation, type Question } from './recall-locomo.js';
import type { BenchOptions, BenchResult } from './run.js';

const DEPTHS = [1, 3, 5, 10, 20] as const;
const SYSTEMS = ['search', 'bm25', 'dense', 'wsum'] as const;
type System = (typeof SYSTEMS)[number];

/** How one system did on one question. */
interface Found {
  readonly system: System;
  readonly category: string;
  /** Share of the evidence among the first k, for each depth. */
  readonly recall: readonly number[];
  readonly reciprocalRank: number;
  readonly tokensAt10: number;
}

/**
 * Evidence recall on a LoCoMo file without a model: the turns of each conversation in a space of their own, searched by
 * `Recall.search` with its defaults, beside BM25, vectors and their weighted sum rebuilt in the same run. Recall@k is the share
 * of a question's evidence turns in the first k, MRR that of the first; means over questions, per cent.
 */
export async function run({ data }: BenchOptions): Promise<BenchResult> {
  const bytes = await readData(data);
  if (data === undefined || bytes === undefined) {
    const why = data === undefined ? 'no data file was named (--data a LoCoMo file)' : `there is no ${data}`;
    return { figures: {}, baselines: {}, notes: [`skipped: ${why}`], table: `recall: skipped, ${why}` };
  }
  const conversations = await readLocomo(bytes, data);
  const config = loadConfig();
  const embedder = await EmbeddingFile.open(
    await OnnxEmbedder.open(await ensureMiniLm(config), { threads: config.threads }),
    join(config.cache, 'bench'),
  );
  const store = new InMemoryVectorStore();
  await store.ensure(embedder.identity);
  const nodes = new NodeStore(store, embedder);
  const recall = new Recall(store, embedder, nodes);
  const found: Found[] = [];
  for (const conversation of conversations) {
    await insert(nodes, conversation);
    found.push(...(await ask(conversation, recall, embedder)));
  }
  await embedder.close();
  const [figures = {}, ...baselines] = SYSTEMS.map((system) => means(found.filter((one) => one.system === system)));
  const questions = found.length / SYSTEMS.length;
  const { k1, b } = BM25_PARAMETERS;
  return {
    figures,
    baselines: Object.fromEntries(baselines.map((figure, at) => [SYSTEMS[at + 1] as string, figure])),
    input: { file: basename(data), sha256: createHash('sha256').update(bytes).digest('hex') },
    notes: [
      `${questions} questions of ${conversations.length} conversations (${conversations.map(({ name }) => name).join(', ')})`,
      `search: defaults, hybrid, weights ${DEFAULT_WEIGHTS.denseWeight} dense, ${DEFAULT_WEIGHTS.bm25Weight} BM25 (k1 ${k1}, b ${b}), 100 candidates a signal; ${embedder.identity.model}`,
      'the defaults were tuned on conv-26, conv-30 and conv-41: a fair figure is one on other conversations',
      'tokensAt10: tokens (o200k_base) of the first ten turns, mean',
    ],
    table: tableOf(found),
  };
}

const unitOf = ({ speaker, text }: { speaker: string; text: string }): string => `${speaker}: ${text}`;

async function insert(nodes: NodeStore, { name, turns }: Conversation): Promise<void> {
  const fresh = turns.map(({ id, speaker, text }): NewNode => {
    const source = { conversation: name, turns: [id] };
    return { id: idOf(name, 'turn', id), kind: 'semantic', form: 'turn', text, speaker, source, edges: {} };
  });
  await nodes.insert(name, fresh, { recordedAt: '2026-01-01T00:00:00.000Z', token: idOf('bench', name) });
}

async function ask({ name, turns, questions }: Conversation, recall: Recall, embedder: EmbeddingFile): Promise<Found[]> {
  const units = turns.map(unitOf);
  const idOfNode = new Map(turns.map(({ id }) => [idOf(name, 'turn', id), id]));
  const vectors = await embedder.embed(units);
  const sparse = bm25Over(units);
  const tokens = new Map(turns.map((turn) => [turn.id, encode(unitOf(turn)).length]));
  const found: Found[] = [];
  for (const question of questions) {
    const hits = await recall.search(name, question.text, { limit: Math.max(...DEPTHS) });
    const [query = []] = await embedder.embed([question.text]);
    const byWords = sparse(question.text);
    const byVectors = cosines(vectors, query);
    const ranked = (scores: readonly number[]): string[] =>
      turns
        .map(({ id }, at) => ({ id, at, score: scores[at] ?? 0 }))
        .sort((a, b) => b.score - a.score || a.at - b.at)
        .map(({ id }) => id);
    const rankings: Record<System, string[]> = {
      search: hits.map(({ node }) => idOfNode.get(node.id) ?? node.id),
      bm25: ranked(byWords),
      dense: ranked(byVectors),
      wsum: ranked(weightedSum(byVectors, byWords)),
    };
    for (const system of SYSTEMS)
      found.push({ system, category: question.category, ...measure(rankings[system], question, tokens) });
  }
  return found;
}

/** MRR counts a rank beyond the deepest list as not found, for every system alike. */
function measure(ranking: readonly string[], { evidence }: Question, tokens: ReadonlyMap<string, number>) {
  const ranks = evidence.map((id) => ranking.slice(0, Math.max(...DEPTHS)).indexOf(id)).filter((rank) => rank >= 0);
  return {
    recall: DEPTHS.map((depth) => ranks.filter((rank) => rank < depth).length / evidence.length),
    reciprocalRank: ranks.length > 0 ? 1 / (Math.min(...ranks) + 1) : 0,
    tokensAt10: ranking.slice(0, 10).reduce((sum, id) => sum + (tokens.get(id) ?? 0), 0),
  };
}

function means(found: readonly Found[]): Record<string, number> {
  const mean = (value: (one: Found) => number): number =>
    found.reduce((sum, one) => sum + value(one), 0) / Math.max(1, found.length);
  const perCent = (value: (one: Found) => number): number => Math.round(mean(value) * 10_000) / 100;
  return {
    ...Object.fromEntries(DEPTHS.map((depth, at) => [`r${depth}`, perCent(({ recall }) => recall[at] ?? 0)])),
    mrr: perCent(({ reciprocalRank }) => reciprocalRank),
    tokensAt10: Math.round(mean(({ tokensAt10 }) => tokensAt10) * 10) / 10,
  };
}

function tableOf(found: readonly Found[]): string {
  const names = [...DEPTHS.map((depth) => `r${depth}`), 'mrr', 'tokensAt10'];
  const row = (cells: readonly string[]): string =>
    cells.map((cell, at) => (at < 2 ? cell.padEnd(12) : cell.padStart(at === cells.length - 1 ? 11 : 7))).join('');
  const lines = [row(['questions', 'system', ...names])];
  for (const category of [...Object.values(CATEGORIES), 'all']) {
    for (const system of SYSTEMS) {
      const some = found.filter((one) => one.system === system && (category === 'all' || one.category === category));
      const figures = means(some);
      if (some.length > 0) lines.push(row([category, system, ...names.map((name) => (figures[name] ?? 0).toFixed(1))]));
    }
  }
  return lines.join('\n');
}
