import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';

import { encode } from 'gpt-tokenizer/encoding/o200k_base';

import { OnnxEmbedder } from '../src/adapters/onnx.js';
import { loadConfig } from '../src/config.js';
import { BM25_PARAMETERS, DEFAULT_WEIGHTS } from '../src/domain/ranking.js';
import { STRUCTURE } from '../src/domain/structure.js';
import { ensureMiniLm } from '../src/setup/minilm.js';
import { bm25Over, cosines, weightedSum } from './recall-baselines.js';
import { EmbeddingFile } from './recall-embeddings.js';
import { readData, readLocomo, type Conversation } from './recall-locomo.js';
import { gain, means, measure, tableOf, type Found } from './recall-measure.js';
import { BenchMemory } from './recall-memory.js';
import { structuredOver } from './recall-structured.js';
import { leftOut } from './recall-tune.js';
import type { BenchOptions, BenchResult } from './run.js';

const BASELINES = ['bm25', 'dense', 'wsum', 'p', 's', 'sf'] as const;

/**
 * Evidence recall on a LoCoMo file without a model: the turns of each conversation in a space of their own, searched by
 * `Recall.search` with its defaults, beside BM25, vectors, their weighted sum and the structured recipes P and S rebuilt in the
 * same run. Recall@k is the share of a question's evidence turns in the first k, MRR that of the first, `budget1000` the share
 * within a thousand tokens; means over questions, per cent. `gainOverS` is what recall@10 is above S, in points, `gainLow` to
 * `gainHigh` the paired 95 % interval. `--facts` inserts the file's observations as facts too and compares with SF: the gains
 * are then those over SF. `--tune` chooses the structure's parameters on all conversations but one, and tells how each did on
 * the one left out.
 */
export async function run({ data, args }: BenchOptions): Promise<BenchResult> {
  const bytes = await readData(data);
  if (data === undefined || bytes === undefined) {
    const why = data === undefined ? 'no data file was named (--data a LoCoMo file)' : `there is no ${data}`;
    return { figures: {}, baselines: {}, notes: [`skipped: ${why}`], table: `recall: skipped, ${why}` };
  }
  const [withFacts, tune] = [args.includes('--facts'), args.includes('--tune')];
  const conversations = await readLocomo(bytes, data);
  const config = loadConfig();
  const embedder = await EmbeddingFile.open(
    await OnnxEmbedder.open(await ensureMiniLm(config), { threads: config.threads }),
    join(config.cache, 'bench'),
  );
  const memory = await BenchMemory.of(conversations, embedder, withFacts);
  const found: Found[] = [];
  for (const conversation of conversations) {
    found.push(...measured('search', conversation, await memory.ask(conversation, conversation.questions)));
    for (const [system, lists] of Object.entries(await baselinesOf(conversation, embedder))) {
      found.push(...measured(system, conversation, lists));
    }
  }
  const of = (system: string): Found[] => found.filter((one) => one.system === system);
  const floor = withFacts ? 'sf' : 's';
  const over = gain(of('search'), of(floor));
  const systems = ['search', ...BASELINES.filter((system) => withFacts || system !== 'sf')];
  const tuned = tune ? await leftOut(memory, conversations, of(floor), measured) : [];
  await embedder.close();
  const { k1, b } = BM25_PARAMETERS;
  return {
    figures: {
      ...means(of('search')),
      ...(withFacts && { gainOverSF: over.mean }),
      gainOverS: withFacts ? gain(of('search'), of('s')).mean : over.mean,
      ...{ gainLow: over.low, gainHigh: over.high },
    },
    baselines: Object.fromEntries(systems.slice(1).map((system) => [system, means(of(system))])),
    input: { file: basename(data), sha256: createHash('sha256').update(bytes).digest('hex') },
    notes: [
      `${of('search').length} questions of ${conversations.length} conversations (${conversations.map(({ name }) => name).join(', ')})`,
      `search: defaults, hybrid, weights ${DEFAULT_WEIGHTS.denseWeight} dense, ${DEFAULT_WEIGHTS.bm25Weight} BM25 (k1 ${k1}, b ${b}), 100 candidates a signal; ${embedder.identity.model}`,
      `structure: ${JSON.stringify(STRUCTURE)}`,
      `recall@10 is ${over.mean} points above ${floor}, paired 95 % interval ${over.low} to ${over.high} (2,000 bootstrap samples)`,
      ...(withFacts ? ["the file's observations are facts; search returns turns, facts lead to them"] : []),
      'the defaults were tuned on conv-26, conv-30 and conv-41: a fair figure is one on other conversations, or that of --tune',
      'tokensAt10: tokens (o200k_base) of the first ten turns, mean',
      ...tuned,
    ],
    table: tableOf(found, systems),
  };
}

const unitOf = ({ speaker, text }: { speaker: string; text: string }): string => `${speaker}: ${text}`;

function measured(system: string, { name, turns, questions }: Conversation, lists: readonly (readonly string[])[]): Found[] {
  const tokens = new Map(turns.map((turn) => [turn.id, encode(unitOf(turn)).length]));
  return questions.map((question, at) => ({ system, conversation: name, ...measure(lists[at] ?? [], question, tokens) }));
}

/** Each baseline's list of turns for each question. */
async function baselinesOf(conversation: Conversation, embedder: EmbeddingFile): Promise<Record<string, string[][]>> {
  const { turns, questions } = conversation;
  const units = turns.map(unitOf);
  const vectors = await embedder.embed(units);
  const sparse = bm25Over(units);
  const structured = await structuredOver(conversation, (texts) => embedder.embed(texts));
  const lists: Record<string, string[][]> = Object.fromEntries(BASELINES.map((system) => [system, []]));
  for (const { text } of questions) {
    const [query = []] = await embedder.embed([text]);
    const [bm25, dense] = [sparse(text), cosines(vectors, query)];
    const scores = { bm25, dense, wsum: weightedSum(dense, bm25), ...(await structured(text)) };
    for (const system of BASELINES) lists[system]?.push(ranked(turns, scores[system]));
  }
  return lists;
}

const ranked = (turns: Conversation['turns'], scores: readonly number[]): string[] =>
  turns
    .map(({ id }, at) => ({ id, at, score: scores[at] ?? 0 }))
    .sort((a, b) => b.score - a.score || a.at - b.at)
    .map(({ id }) => id);
