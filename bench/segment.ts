import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import { OnnxSegmenter } from '../src/adapters/onnx-segmenter.js';
import { OnnxEmbedder } from '../src/adapters/onnx.js';
import { loadConfig } from '../src/config.js';
import { estimateTokens } from '../src/domain/context.js';
import {
  CUT_THRESHOLD,
  CUT_WEIGHTS,
  cutScores,
  topicStarts,
  type CutWeights,
  type TurnTrace,
} from '../src/domain/segmentation.js';
import { ensureMiniLm } from '../src/setup/minilm.js';
import { EmbeddingFile } from './recall-embeddings.js';
import { readData, readLocomo, type Conversation } from './recall-locomo.js';
import type { BenchOptions, BenchResult } from './run.js';
import { AttentionFile } from './segment-attention.js';
import { dialoguesOf, type Dialogue } from './segment-data.js';
import { bestDip } from './segment-dip.js';
import { qualityOf, type CutQuality } from './segment-measures.js';

const THRESHOLDS = Array.from({ length: 31 }, (_, at) => -0.5 + at / 10);

/** Tokens of a sensory buffer, by default [LightMem: 512]. */
const BUFFER = 512;

/** A dialogue with what the model says of it. */
interface Sensed extends Dialogue {
  readonly turns: readonly TurnTrace[];
  readonly vectors: readonly (readonly number[])[];
  readonly attention: readonly number[];
}

/**
 * Topic cuts of whole dialogues by the product's own scores: exact F1, Pk and WindowDiff, per cent, beside the dip of window
 * similarity at the setting that is best for the set. Our threshold is that which is best for the other dialogues (leave one
 * out); the weights are the product's. `…AtDefault` has the default threshold, `f1Buffered` the product's way: buffers of 512
 * tokens, what follows the last cut waits.
 */
export async function run({ data, args }: BenchOptions): Promise<BenchResult> {
  const bytes = await readData(data);
  if (data === undefined || bytes === undefined) {
    const why = data === undefined ? 'no data file was named (--data TIAGE or stripped LoCoMo)' : `there is no ${data}`;
    return { figures: {}, baselines: {}, notes: [`skipped: ${why}`], table: `segment: skipped, ${why}` };
  }
  const raw = JSON.parse(new TextDecoder().decode(bytes)) as unknown;
  const sensed = await sense(dialoguesOf(raw, await conversationsBeside(data, args)));
  const without = { ...CUT_WEIGHTS, attention: 0 };
  const ours = leaveOneOut(sensed, CUT_WEIGHTS);
  const plain = leaveOneOut(sensed, without);
  const fixed = quality(sensed, (one) => cut(one, CUT_WEIGHTS, CUT_THRESHOLD));
  const buffered = quality(sensed, buffers);
  const dip = bestDip(sensed);
  const thresholds = [...new Set(ours.thresholds.map((threshold) => threshold.toFixed(1)))].join(', ');
  return {
    figures: {
      ...ours.quality,
      ...{
        f1WithoutAttention: plain.quality.f1,
        pkWithoutAttention: plain.quality.pk,
        windowDiffWithoutAttention: plain.quality.windowDiff,
      },
      ...{ f1AtDefault: fixed.f1, pkAtDefault: fixed.pk, windowDiffAtDefault: fixed.windowDiff, f1Buffered: buffered.f1 },
    },
    baselines: { dip: { ...dip.quality } },
    input: { file: basename(data), sha256: createHash('sha256').update(bytes).digest('hex') },
    notes: [
      `${sensed.length} dialogues, ${sensed.flatMap(({ texts }) => texts).length} turns, ${sensed.flatMap(({ starts }) => starts).length} borders`,
      `weights ${JSON.stringify(CUT_WEIGHTS)}, fitted on TIAGE's dev part and LoCoMo's conv-26, conv-30 and conv-41: on those three they have seen the borders; left out of the fit, F1 was 54`,
      `threshold (deviations over the mean): ${thresholds} by leaving one dialogue out; the default is ${CUT_THRESHOLD}`,
      `dip: width ${dip.width}, threshold ${dip.threshold}, the best for this set`,
      `attention's own share: ${(ours.quality.f1 - plain.quality.f1).toFixed(1)} points of F1`,
    ],
    table: tableOf({
      ours: ours.quality,
      'without attention': plain.quality,
      'default threshold': fixed,
      buffered,
      dip: dip.quality,
    }),
  };
}

async function sense(dialogues: readonly Dialogue[]): Promise<Sensed[]> {
  const config = loadConfig();
  const modelDir = await ensureMiniLm(config);
  const folder = join(config.cache, 'bench');
  const embedder = await EmbeddingFile.open(await OnnxEmbedder.open(modelDir, { threads: config.threads }), folder);
  const segmenter = await OnnxSegmenter.open(modelDir, { threads: config.threads });
  const attention = await AttentionFile.open(segmenter, embedder.identity.hash, folder);
  const sensed: Sensed[] = [];
  for (const dialogue of dialogues) {
    const vectors = await embedder.embed(dialogue.texts);
    const turns = dialogue.texts.map((text, at) => ({
      text,
      vector: vectors[at] ?? [],
      speaker: dialogue.speakers[at] ?? '',
      mayOpen: true,
    }));
    sensed.push({ ...dialogue, turns, vectors, attention: await attention.attention(dialogue.texts) });
  }
  await embedder.close();
  return sensed;
}

const cut = ({ turns, attention }: Pick<Sensed, 'turns' | 'attention'>, weights: CutWeights, threshold: number): number[] =>
  topicStarts(cutScores(turns, attention, weights), () => true, threshold);

const quality = (sensed: readonly Sensed[], found: (one: Sensed) => number[]): CutQuality =>
  qualityOf(sensed.map((one) => ({ turns: one.texts.length, truth: one.starts, found: found(one) })));

/** Each dialogue cut at the threshold that gives the others their best F1, smoothed over three neighbouring thresholds. */
function leaveOneOut(sensed: readonly Sensed[], weights: CutWeights): { quality: CutQuality; thresholds: number[] } {
  const cuts = sensed.map((one) => {
    const scores = cutScores(one.turns, one.attention, weights);
    return THRESHOLDS.map((threshold) => ({
      turns: one.texts.length,
      truth: one.starts,
      found: topicStarts(scores, () => true, threshold),
    }));
  });
  const chosen = cuts.map((own, left) => {
    const others = cuts.filter((_, at) => at !== left);
    const f1 = THRESHOLDS.map((_, at) => qualityOf(others.map((one) => one[at] as (typeof own)[number])).f1);
    const smooth = f1.map((one, at) => (one + (f1[at - 1] ?? one) + (f1[at + 1] ?? one)) / 3);
    return others.length === 0 ? THRESHOLDS.indexOf(CUT_THRESHOLD) : smooth.indexOf(Math.max(...smooth));
  });
  return {
    quality: qualityOf(cuts.map((own, at) => own[chosen[at] as number] as (typeof own)[number])),
    thresholds: chosen.map((at) => THRESHOLDS[at] as number),
  };
}

/** Borders as a sensory buffer finds them, turn by turn; a buffer without a cut goes whole. */
function buffers({ turns, attention }: Sensed): number[] {
  const found: number[] = [];
  let from = 0;
  let tokens = 0;
  turns.forEach((turn, at) => {
    tokens += estimateTokens(turn.text);
    const isLast = at === turns.length - 1;
    if (tokens < BUFFER && !isLast) return;
    const starts = cut(
      { turns: turns.slice(from, at + 1), attention: attention.slice(from, at + 1) },
      CUT_WEIGHTS,
      CUT_THRESHOLD,
    );
    found.push(...starts.map((start) => from + start));
    const next = starts.length === 0 ? at + 1 : from + (starts.at(-1) as number);
    if (starts.length === 0 && !isLast) found.push(next);
    tokens = turns.slice(next, at + 1).reduce((sum, { text }) => sum + estimateTokens(text), 0);
    from = next;
  });
  return found;
}

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
