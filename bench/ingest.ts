import { createHash } from 'node:crypto';
import { basename } from 'node:path';

import { OnnxSegmenter } from '../src/adapters/onnx-segmenter.js';
import { OnnxTokenScorer } from '../src/adapters/onnx-token-scorer.js';
import { OnnxEmbedder } from '../src/adapters/onnx.js';
import { ScoredCompressor } from '../src/adapters/scored-compressor.js';
import { SimilaritySegmenter } from '../src/adapters/similarity-segmenter.js';
import { WholeTexts } from '../src/adapters/whole-texts.js';
import { loadConfig } from '../src/config.js';
import type { Message } from '../src/domain/message.js';
import { ensureMiniLm } from '../src/setup/minilm.js';
import { startEnvironment, stopEnvironment } from '../test/support/environment.js';
import { ScriptedModel } from '../test/support/scripted-model.js';
import { WordEmbedder } from '../test/support/word-embedder.js';
import { dialogueTokens, messagesOf, ObservingModel } from './ingest-observer.js';
import { ingest, type Ingested } from './ingest-run.js';
import { readData, readLocomo, type Conversation } from './recall-locomo.js';
import type { BenchOptions, BenchResult } from './run.js';

/** What LightMem's figures are given for [LightMem: th 768, r 0.8]. */
const SETTINGS = { shortTermTokens: 768, compression: 0.8 } as const;

/** LightMem's published figures for such a dialogue, with its sleep: 29.8 calls and 85,200 tokens for 20,100 tokens of dialogue. */
const LIGHTMEM = { calls: 29.8 / 20.1, tokens: 85_200 / 20.1 };

const LONG_TURNS = 10_000;

/** Texts embedded at once by the bare embedder: what an update of the client carries at most. */
const AT_ONCE = 128;

interface Measured extends Ingested {
  readonly dialogue: number;
  readonly turns: number;
  /** Seconds that the bare embedder takes for the same turns. */
  readonly bare: number;
  readonly counted: ObservingModel['counted'];
}

/**
 * What it costs to take in a LoCoMo dialogue, without a sleep and with one: model calls and tokens for each 1,000 tokens of
 * dialogue, with a model that answers from the data set's observations and keeps every fact; turns a second until they are durable, against the bare embedder on the
 * same texts in the same run; bytes of history a turn; and the longest run of a conversation of 10,000 turns. Arguments: how
 * many conversations of the file (default all), and how many turns the long one has.
 */
export async function run({ data, args }: BenchOptions): Promise<BenchResult> {
  const bytes = await readData(data);
  if (data === undefined || bytes === undefined) {
    const why = data === undefined ? 'no data file was named (--data a LoCoMo file)' : `there is no ${data}`;
    return { figures: {}, baselines: {}, notes: [`skipped: ${why}`], table: `ingest: skipped, ${why}` };
  }
  const [most, longTurns] = [Number(args[0] ?? Infinity), Number(args[1] ?? LONG_TURNS)];
  const conversations = (await readLocomo(bytes, data)).slice(0, most);
  await startEnvironment({ asDeployed: true });
  const measured: Measured[] = [];
  for (const conversation of conversations) measured.push(await dialogue(conversation));
  const long = await longConversation(longTurns);
  await stopEnvironment();
  return result(measured, long, longTurns, { file: basename(data), sha256: createHash('sha256').update(bytes).digest('hex') });
}

async function dialogue(conversation: Conversation): Promise<Measured> {
  const config = loadConfig();
  const folder = await ensureMiniLm(config);
  const threads = { threads: config.threads };
  const embedder = await OnnxEmbedder.open(folder, threads);
  const compressor = new ScoredCompressor(await OnnxTokenScorer.open(folder, threads));
  const segmenter = await OnnxSegmenter.open(folder, threads);
  const model = new ObservingModel(conversation);
  const texts = conversation.turns.map(({ text }) => text);
  await embedder.embed(texts.slice(0, 16)); // the first pass of a model takes longer
  const start = performance.now();
  for (let from = 0; from < texts.length; from += AT_ONCE) await embedder.embed(texts.slice(from, from + AT_ONCE));
  const bare = (performance.now() - start) / 1_000;
  const ingested = await ingest(messagesOf(conversation), { embedder, model, compressor, segmenter, settings: SETTINGS });
  await embedder.close();
  return { ...ingested, dialogue: dialogueTokens(conversation), turns: texts.length, bare, counted: model.counted };
}

/** A conversation of many short turns: it is the workflow that is measured, so words stand for vectors and the model finds nothing. */
async function longConversation(turns: number): Promise<Ingested> {
  const messages = Array.from({ length: turns }, (_, at): Message => ({
    role: at % 2 === 0 ? 'user' : 'assistant',
    content: `turn ${at} speaks of the herons at pond ${at % 97}`,
    key: `t${at}`,
  }));
  const model = new ScriptedModel({ facts: () => ({ topics: [] }) });
  return await ingest(messages, {
    embedder: new WordEmbedder(),
    model,
    compressor: new WholeTexts(),
    segmenter: new SimilaritySegmenter(),
    settings: { compression: 'none' },
  });
}

function result(
  measured: readonly Measured[],
  long: Ingested,
  longTurns: number,
  input: { file: string; sha256: string },
): BenchResult {
  const sum = (pick: (one: Measured) => number): number => measured.reduce((total, one) => total + pick(one), 0);
  const [thousands, turns] = [sum((one) => one.dialogue) / 1_000, sum((one) => one.turns)];
  const tokens = sum(({ ledger }) => ledger.inputTokens + ledger.outputTokens);
  const asleep = sum(({ slept }) => slept.inputTokens + slept.outputTokens);
  const figures = {
    calls: sum(({ ledger }) => ledger.calls) / thousands,
    tokens: tokens / thousands,
    callsWithSleep: sum(({ slept }) => slept.calls) / thousands,
    tokensWithSleep: asleep / thousands,
    turnsRatio: sum((one) => one.bare) / sum((one) => one.stored),
    extractedRatio: sum((one) => one.bare) / sum((one) => one.extracted),
    bytesPerTurn: sum((one) => one.bytes) / turns,
    maxEvents: long.maxEvents,
  };
  const counted = {
    calls: sum((one) => one.counted.calls),
    tokens: sum((one) => one.counted.inputTokens + one.counted.outputTokens),
  };
  const isEqual = counted.calls === sum(({ slept }) => slept.calls) && counted.tokens === asleep;
  return {
    figures,
    baselines: {
      lightmem: LIGHTMEM,
      server: { calls: counted.calls / thousands, tokens: counted.tokens / thousands },
      embedder: { turnsPerSecond: turns / sum((one) => one.bare) },
    },
    input,
    notes: [
      `${measured.length} dialogues of ${Math.round(thousands * 1_000)} tokens in ${turns} turns; th ${SETTINGS.shortTermTokens}, r ${SETTINGS.compression}; tokens by o200k_base`,
      `a dialogue of 20,100 tokens: ${(figures.calls * 20.1).toFixed(1)} calls, ${Math.round(figures.tokens * 20.1)} tokens; with a sleep ${(figures.callsWithSleep * 20.1).toFixed(1)} and ${Math.round(figures.tokensWithSleep * 20.1)}; LightMem's published 29.8 and 85,200 are with its sleep`,
      `the ledger is ${isEqual ? 'equal to' : 'NOT equal to'} the model's own count: ${counted.calls} calls, ${counted.tokens} tokens`,
      `${sum(({ status }) => status.facts)} facts, ${sum(({ status }) => status.parked)} batches parked`,
      'turnsRatio: until remember returned, the background work going on beside it; extractedRatio: until all was extracted',
      `${longTurns} turns in one conversation: ${long.runs} runs, the longest of ${long.maxEvents} events; ${long.status.turns} turns stored, ${long.status.parked} batches parked`,
    ],
    table: [
      `for 1,000 tokens of dialogue  calls ${figures.calls.toFixed(2)} (LightMem ${LIGHTMEM.calls.toFixed(2)})  tokens ${Math.round(figures.tokens)} (LightMem ${Math.round(LIGHTMEM.tokens)})`,
      `  with a sleep                calls ${figures.callsWithSleep.toFixed(2)}  tokens ${Math.round(figures.tokensWithSleep)}`,
      `turns a second                ${(turns / sum((one) => one.stored)).toFixed(1)} (bare embedder ${(turns / sum((one) => one.bare)).toFixed(1)}, ratio ${figures.turnsRatio.toFixed(2)})`,
      `history                       ${Math.round(figures.bytesPerTurn)} bytes a turn; longest run of ${longTurns} turns ${figures.maxEvents} events`,
    ].join('\n'),
  };
}
