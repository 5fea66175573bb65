import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import { OnnxSegmenter } from '../src/adapters/onnx-segmenter.js';
import { OnnxEmbedder } from '../src/adapters/onnx.js';
import { loadConfig } from '../src/config.js';
import { EngraphError } from '../src/domain/failure.js';
import { MINILM_CUTS } from '../src/domain/segmentation.js';
import { ensureMiniLm } from '../src/setup/minilm.js';
import { EmbeddingFile } from './recall-embeddings.js';
import { readData, readLocomo, type Conversation } from './recall-locomo.js';
import type { BenchOptions, BenchResult } from './run.js';
import { AttentionFile } from './segment-attention.js';
import { cutInBuffers, cutWhole, type Found, type Sensed } from './segment-cut.js';
import { dialoguesOf, type Dialogue } from './segment-data.js';
import { bestDip } from './segment-dip.js';
import { fitRule, type Fitted } from './segment-fit.js';
import { qualityOf, type CutQuality } from './segment-measures.js';
import { rulesFor } from './segment-rules.js';

/**
 * Topic cuts by the product's one rule: exact F1, Pk and WindowDiff, per cent, beside the dip of window similarity at the setting
 * that is best for the set. Nothing is tuned on what is measured: where a LoCoMo conversation took part in the fit, it is cut by the rule fitted
 * without it. `…WithoutAttention` is the rule that the same fit gives without that signal; `…Buffered` the product's way,
 * buffers of 512 tokens, with the passes over turns that it takes. `--fit FILE` (stripped LoCoMo) fits the rules anew, with
 * TIAGE as the data.
 */
export async function run({ data, args }: BenchOptions): Promise<BenchResult> {
  const bytes = await readData(data);
  if (data === undefined || bytes === undefined) {
    const why = data === undefined ? 'no data file was named (--data TIAGE or stripped LoCoMo)' : `there is no ${data}`;
    return { figures: {}, baselines: {}, notes: [`skipped: ${why}`], table: `segment: skipped, ${why}` };
  }
  const raw = JSON.parse(new TextDecoder().decode(bytes)) as unknown;
  const input = { file: basename(data), sha256: createHash('sha256').update(bytes).digest('hex') };
  if (args.includes('--fit')) return { ...(await fit(raw, args)), input };
  const { sensed, file } = await sense(dialoguesOf(raw, await conversationsBeside(data, args)));
  const ours = await measure(sensed, (one) => cutWhole(one.turns, rulesFor(one.name).rule, file));
  const plain = await measure(sensed, (one) => cutWhole(one.turns, rulesFor(one.name).withoutAttention, file));
  const buffered = await measure(sensed, (one) => cutInBuffers(one.turns, rulesFor(one.name).rule, file));
  const dip = bestDip(sensed.map(({ turns, starts }) => ({ vectors: turns.map(({ vector }) => vector), starts })));
  const turns = sensed.reduce((sum, one) => sum + one.turns.length, 0);
  return {
    figures: {
      ...ours.quality,
      ...named('WithoutAttention', plain.quality),
      ...named('Buffered', buffered.quality),
      attentionPassesPerTurn: buffered.passes / turns,
      attentionPiecesPerTurn: buffered.pieces / turns,
    },
    baselines: { dip: { ...dip.quality } },
    input,
    notes: [
      `${sensed.length} dialogues, ${turns} turns, ${sensed.flatMap(({ starts }) => starts).length} borders`,
      `one rule for every set: ${JSON.stringify(MINILM_CUTS)}, fitted on TIAGE's train and dev parts and LoCoMo's conv-26, conv-30 and conv-41; each of these three is cut by the rule fitted without it`,
      `dip: width ${dip.width}, threshold ${dip.threshold}, the best for this set`,
      `attention's own share: ${(ours.quality.f1 - plain.quality.f1).toFixed(1)} points of F1`,
    ],
    table: tableOf({
      ours: ours.quality,
      'without attention': plain.quality,
      'in buffers': buffered.quality,
      dip: dip.quality,
    }),
  };
}

/** The rule of all sets, that without attention, and both without each of the LoCoMo conversations: what the code's constants are. */
async function fit(tiage: unknown, args: readonly string[]): Promise<Omit<BenchResult, 'input'>> {
  const path = args[args.indexOf('--fit') + 1];
  const bytes = await readData(path);
  if (path === undefined || bytes === undefined)
    throw new EngraphError('validation', `--fit takes a stripped LoCoMo file; there is no ${path ?? 'name of one'}`);
  const stripped = JSON.parse(new TextDecoder().decode(bytes)) as unknown;
  const talks = await fitted(dialoguesOf(stripped, await conversationsBeside(path, args)));
  const chats = await fitted(dialoguesOf(tiage, [], { forFit: true }));
  const pairOf = (locomo: readonly Fitted[]): string =>
    JSON.stringify({ rule: fitRule([chats, locomo]), withoutAttention: fitRule([chats, locomo], { attention: false }) });
  const leftOut = talks.map(({ name }) => `without ${name}: ${pairOf(talks.filter((one) => one.name !== name))}`);
  return {
    figures: {},
    baselines: {},
    notes: [`${chats.length} TIAGE dialogues, ${talks.length} LoCoMo conversations`],
    table: [`all: ${pairOf(talks)}`, ...leftOut].join('\n'),
  };
}

async function fitted(dialogues: readonly Dialogue[]): Promise<Fitted[]> {
  const { sensed, file } = await sense(dialogues);
  const all: Fitted[] = [];
  for (const one of sensed) {
    const gaps = one.texts.slice(1).map((_, gap) => gap + 1);
    all.push({ ...one, attention: (await file.attention(one.texts, gaps)).across });
  }
  return all;
}

async function sense(dialogues: readonly Dialogue[]): Promise<{ sensed: Sensed[]; file: AttentionFile }> {
  const config = loadConfig();
  const modelDir = await ensureMiniLm(config);
  const folder = join(config.cache, 'bench');
  const embedder = await EmbeddingFile.open(await OnnxEmbedder.open(modelDir, { threads: config.threads }), folder);
  const segmenter = await OnnxSegmenter.open(modelDir, { threads: config.threads });
  const file = await AttentionFile.open(segmenter, embedder.identity.hash, folder);
  const sensed: Sensed[] = [];
  for (const dialogue of dialogues) {
    const vectors = await embedder.embed(dialogue.texts);
    const turns = dialogue.texts.map((text, at) => ({
      text,
      vector: vectors[at] ?? [],
      speaker: dialogue.speakers[at] ?? '',
      mayOpen: true,
    }));
    sensed.push({ ...dialogue, turns });
  }
  await embedder.close();
  return { sensed, file };
}

async function measure(
  sensed: readonly Sensed[],
  cut: (one: Sensed) => Promise<Found>,
): Promise<{ quality: CutQuality; passes: number; pieces: number }> {
  const found: Found[] = [];
  for (const one of sensed) found.push(await cut(one));
  return {
    quality: qualityOf(sensed.map((one, at) => ({ turns: one.turns.length, truth: one.starts, found: found[at]?.starts ?? [] }))),
    passes: found.reduce((sum, { passes }) => sum + passes, 0),
    pieces: found.reduce((sum, { pieces }) => sum + pieces, 0),
  };
}

const named = (suffix: string, quality: CutQuality): Record<string, number> =>
  Object.fromEntries(Object.entries(quality).map(([name, value]) => [`${name}${suffix}`, value as number]));

/** LoCoMo conversations from the file of `--locomo`, else from every file beside the data that is one. */
async function conversationsBeside(data: string, args: readonly string[]): Promise<Conversation[]> {
  const at = args.indexOf('--locomo');
  const named = at < 0 ? undefined : args[at + 1];
  const folder = dirname(data);
  const files =
    named === undefined
      ? (await readdir(folder)).filter((file) => /^locomo.*\.json$/.test(file)).map((file) => join(folder, file))
      : [named];
  const conversations: Conversation[] = [];
  for (const file of files) {
    const bytes = await readData(file);
    const raw = bytes && (JSON.parse(new TextDecoder().decode(bytes)) as unknown);
    const isLocomo =
      Array.isArray(raw) &&
      raw.every((one: { qa?: unknown; conversation?: unknown }) => Array.isArray(one.qa) && one.conversation);
    if (bytes && (isLocomo || named !== undefined)) conversations.push(...(await readLocomo(bytes, file)));
  }
  return conversations;
}

const tableOf = (rows: Readonly<Record<string, CutQuality>>): string =>
  [
    `${''.padEnd(18)} F1     Pk     WindowDiff`,
    ...Object.entries(rows).map(
      ([name, { f1, pk, windowDiff }]) =>
        `${name.padEnd(18)} ${f1.toFixed(1).padEnd(6)} ${pk.toFixed(1).padEnd(6)} ${windowDiff.toFixed(1)}`,
    ),
  ].join('\n');
