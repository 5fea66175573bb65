import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';

import { OnnxEmbedder } from '../src/adapters/onnx.js';
import { loadConfig } from '../src/config.js';
import { isDuplicate } from '../src/domain/duplicate.js';
import { EngraphError } from '../src/domain/failure.js';
import { dot } from '../src/domain/vector.js';
import type { Embedder } from '../src/ports/embedder.js';
import { ensureMiniLm } from '../src/setup/minilm.js';
import { meetings, type Met } from './merge-candidates.js';
import { conversationsBeside, readPairs, type LabelledPair } from './merge-data.js';
import { byCosine, replay, slept, untouched, type Replayed, type Rule } from './merge-replay.js';
import { EmbeddingFile } from './recall-embeddings.js';
import { readData, readLocomo, type Conversation } from './recall-locomo.js';
import type { BenchOptions, BenchResult } from './run.js';

const THRESHOLDS = [0.95, 0.9, 0.85, 0.8, 0.75] as const;

/**
 * Merging and updating facts, scored without a language model. With `--data` a file of labelled pairs: `precision` and `recall`
 * of merges without a model (a merged update counts as an error, like a merged keep), `keepErrors` and `updateErrors` (merges of
 * such pairs), beside cosines of .90, .85 and .80; and `candidateRecall`, `updateCandidateRecall`: duplicates and updates whose
 * earlier fact is a candidate of the later one, that one looked at as the only fresh fact among all observations of its
 * conversation, from `--locomo FILE` or every LoCoMo file beside the data (`…Nominated`: found by the search at all). With
 * `--replay` and a LoCoMo file: all its observations as facts, slept on with a model that keeps everything: `fewerPercent`, and
 * evidence recall through the sources of the first ten facts, `r10Before` and `r10After`, beside plain cosines. All in per cent.
 */
export async function run({ data, args }: BenchOptions): Promise<BenchResult> {
  const bytes = await readData(data);
  if (data === undefined || bytes === undefined) {
    const why =
      data === undefined ? 'no data file was named (--data pairs, or --replay --data a LoCoMo file)' : `there is no ${data}`;
    return { figures: {}, baselines: {}, notes: [`skipped: ${why}`], table: `merge: skipped, ${why}` };
  }
  const config = loadConfig();
  const model = await OnnxEmbedder.open(await ensureMiniLm(config), { threads: config.threads });
  const embedder = await EmbeddingFile.open(model, join(config.cache, 'bench'));
  const input = { file: basename(data), sha256: createHash('sha256').update(bytes).digest('hex') };
  try {
    if (args.includes('--replay')) return { ...(await replayed(await readLocomo(bytes, data), embedder)), input };
    const pairs = readPairs(bytes, data);
    return { ...(await scored(pairs, await conversationsBeside(data, valueOf(args, '--locomo')), embedder)), input };
  } finally {
    await embedder.close();
  }
}

function valueOf(args: readonly string[], option: string): string | undefined {
  const at = args.indexOf(option);
  if (at < 0) return undefined;
  const value = args[at + 1];
  if (value === undefined) throw new EngraphError('validation', `${option} needs a file`);
  return value;
}

async function scored(pairs: readonly LabelledPair[], conversations: readonly Conversation[], embedder: Embedder) {
  const vectors = await embedder.embed(pairs.flatMap(({ earlier, later }) => [earlier.text, later.text]));
  const cosineAt = (at: number): number => dot(vectors[2 * at] ?? [], vectors[2 * at + 1] ?? []);
  const ours = merges(pairs, ({ speaker, earlier, later }, at) => {
    const [a, b] = [earlier, later].map(({ text, at: validFrom }) => ({ text, speaker, validFrom }));
    return a !== undefined && b !== undefined && isDuplicate(a, b, cosineAt(at));
  });
  const plain = THRESHOLDS.slice(1, 4).map(
    (threshold) => [threshold, merges(pairs, (_, at) => cosineAt(at) >= threshold)] as const,
  );
  const { met, unknown } = await meetings(pairs, conversations, embedder);
  const figures = {
    ...recallOf(met, 'duplicate', 'candidateRecall'),
    ...recallOf(met, 'update', 'updateCandidateRecall'),
    ...ours,
  };
  const kept = met.filter(({ pair, candidate }) => pair.label === 'keep' && candidate).length;
  const row = (name: string, m: Record<string, number>): string =>
    [name.padEnd(14), ...Object.values(m).map((value) => value.toFixed(1).padStart(13))].join('');
  return {
    figures,
    baselines: Object.fromEntries(plain.map(([threshold, figure]) => [`cosine${threshold * 100}`, figure])),
    notes: [
      `${pairs.length} pairs; candidates of ${met.length} of them, in ${conversations.length} conversations` +
        (unknown.length > 0 ? `; of ${unknown.length} the observations are in no file and no candidates were looked for` : ''),
      `of ${met.filter(({ pair }) => pair.label === 'keep').length} pairs to keep, ${kept} are candidates too`,
      'the rules were tuned on sleep-pairs-tune.jsonl: on that file the figures flatter',
    ],
    table: [
      row('merges', {}) +
        Object.keys(ours)
          .map((name) => name.padStart(13))
          .join(''),
      row('engraph', ours),
      ...plain.map(([threshold, figure]) => row(`cosine .${threshold * 100}`, figure)),
      ...met
        .filter(({ pair, candidate }) => pair.label !== 'keep' && !candidate)
        .map(
          ({ pair }) =>
            `no candidate: ${pair.label}, ${pair.conversation}, ${pair.earlier.turns.join(' ')} and ${pair.later.turns.join(' ')}`,
        ),
    ].join('\n'),
  };
}

function merges(pairs: readonly LabelledPair[], merged: (pair: LabelledPair, at: number) => boolean) {
  const of = (label: LabelledPair['label']): number =>
    pairs.filter((pair, at) => pair.label === label && merged(pair, at)).length;
  const [right, keepErrors, updateErrors] = [of('duplicate'), of('keep'), of('update')];
  const all = pairs.filter(({ label }) => label === 'duplicate').length;
  const made = right + keepErrors + updateErrors;
  return { precision: perCent(right, made), recall: perCent(right, all), keepErrors, updateErrors };
}

/** No figure where there is nothing to find: 0 or 100 would be a lie. */
function recallOf(met: readonly Met[], label: LabelledPair['label'], name: string): Record<string, number> {
  const some = met.filter(({ pair }) => pair.label === label);
  const share = (found: (one: Met) => boolean): number => perCent(some.filter(found).length, some.length);
  if (some.length === 0) return {};
  return { [name]: share(({ candidate }) => candidate), [`${name}Nominated`]: share(({ nominated }) => nominated) };
}

const perCent = (part: number, whole: number): number => (whole === 0 ? 0 : Math.round((10_000 * part) / whole) / 100);

async function replayed(conversations: readonly Conversation[], embedder: Embedder) {
  const rules: readonly (readonly [string, Rule])[] = [
    ['untouched', untouched],
    ['engraph', slept],
    ...THRESHOLDS.map((threshold) => [`cosine${threshold * 100}`, byCosine(threshold)] as const),
    ['dropNewcomer80', byCosine(0.8, { drop: true })],
  ];
  const found: Record<string, Record<string, number>> = {};
  for (const [name, rule] of rules) {
    const all: Replayed[] = [];
    for (const conversation of conversations) all.push(await replay(conversation, embedder, rule));
    const sum = (of: (one: Replayed) => number): number => all.reduce((total, one) => total + of(one), 0);
    const questions = sum((one) => one.questions);
    found[name] = {
      facts: sum(({ facts }) => facts),
      fewerPercent: perCent(
        sum(({ before, facts }) => before - facts),
        sum(({ before }) => before),
      ),
      r10: perCent(
        sum(({ byFacts }) => byFacts),
        questions,
      ),
      r10Turns: perCent(
        sum(({ byTurns }) => byTurns),
        questions,
      ),
    };
  }
  const { untouched: before = {}, engraph: after = {}, ...others } = found;
  const figures = {
    fewerPercent: after['fewerPercent'] ?? 0,
    ...{ r10Before: before['r10'] ?? 0, r10After: after['r10'] ?? 0 },
    ...{ r10TurnsBefore: before['r10Turns'] ?? 0, r10TurnsAfter: after['r10Turns'] ?? 0 },
  };
  const line = (name: string, m: Record<string, number>): string =>
    `${name.padEnd(16)}${Object.values(m)
      .map((value) => String(value).padStart(14))
      .join('')}`;
  return {
    figures,
    baselines: others,
    notes: [
      'cosine90 is the threshold of LightMem’s offline update; sources united but for dropNewcomer80',
      'r10: evidence among the sources of the first ten facts; r10Turns: among the first ten turns that the facts lead to',
    ],
    table: [
      `${''.padEnd(16)}${Object.keys(before)
        .map((name) => name.padStart(14))
        .join('')}`,
      ...Object.entries(found).map(([name, figure]) => line(name, figure)),
    ].join('\n'),
  };
}
