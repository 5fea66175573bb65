import { dot, unit } from './vector.js';

/** A turn by what segmentation reads of it. */
export interface TurnTrace {
  readonly text: string;
  readonly vector: readonly number[];
  readonly speaker: string;
  readonly mayOpen: boolean;
}

/** What each signal of a gap counts. */
export interface CutWeights {
  /** Minus the cosine of the two turns before and the two after. */
  readonly drop: number;
  /** Relative depth of that dip, summed over windows of one, two and three turns a side. */
  readonly depth: number;
  /** 1 where the turn asks, -1 where the turn before asks: a question is rarely left for another topic. */
  readonly question: number;
  /** Log words of the turn over its speaker's other turns near by, minus the same of the turn before. */
  readonly length: number;
  /** Minus the log of the attention across the gap over that inside its sides (`src/domain/attention-cut.ts`), within `ATTENTION_LIMIT`. */
  readonly attention: number;
}

/** A gap is a cut where its score, in log odds but for a constant, is above `least` and no less than its neighbours'. */
export interface CutRule {
  readonly weights: CutWeights;
  readonly least: number;
}

/**
 * The rule for vectors of all-MiniLM-L6-v2: logistic regression on TIAGE's train and dev parts and the three LoCoMo conversations
 * of the tune set, each set counting the same, and the one threshold at which the worse of the two sets is cut best
 * (`npm run bench -- segment --data TIAGE --fit LOCOMO`). It is absolute: the same turns are cut in the same way whatever else is
 * in the buffer. A threshold relative to the run lost five points of exact F1: where topics are short all gaps look alike.
 * F1 53.4 on TIAGE's test part and 51.0 on LoCoMo by rules fitted without the conversation that is cut, where the dip of
 * facts/baselines.md 3 has 44.3 and 43.6 at its best for each; attention's share is 1.2 and 1.0 of it.
 */
export const MINILM_CUTS: CutRule = {
  weights: { drop: 6.35, depth: 0.3, question: 1.28, length: 0.79, attention: 1.01 },
  least: -1,
};

/** The furthest that the log of the attention ratio counts to each side: 98 of 100 gaps lie within. */
export const ATTENTION_LIMIT = 0.7;

/**
 * The weights where vectors are of another model, whose cosines lie elsewhere: the threshold is then relative (`relativeLeast`).
 */
export const RELATIVE_WEIGHTS: CutWeights = { drop: 2.8, depth: 1, question: 1.4, length: 1, attention: 0 };

/**
 * How many standard deviations above the mean a gap must score to be a cut by `RELATIVE_WEIGHTS`. The best is 0.5 on TIAGE, where
 * one turn in five starts a topic, and 1.6 on LoCoMo, where one in eighteen does.
 */
const RELATIVE_THRESHOLD = 1.2;

/** Mean and deviation of scores over both tune sets, which a short run is drawn to as if it had `turns` more gaps. */
const PRIOR = { mean: -0.45, deviation: 1.5, turns: 20 } as const;

/** Gaps to each side within which a dip's depth is measured. */
const REACH = 4;
/** Turns to each side among which a turn's length is compared. */
const NEAR = 6;

/** Turns before a gap that its score reads. */
export const LOOK_BACK = Math.max(NEAR + 1, REACH + 3);

/**
 * How much each gap looks like a border of topics: entry k stands for a topic that starts at turn k; entry 0 is -Infinity.
 * `attention` may lack entries: there that signal counts nothing.
 */
export function cutScores(turns: readonly TurnTrace[], weights: CutWeights, attention?: ReadonlyMap<number, number>): number[] {
  const vectors = turns.map(({ vector }) => vector);
  const similarity = [1, 2, 3].map((width) => vectors.map((_, at) => windowCosine(vectors, at, width)));
  const asks = turns.map(({ text }) => (/[?？؟]/u.test(text) ? 1 : 0));
  const lengths = relativeLengths(turns);
  return turns.map((_, at) => {
    if (at === 0) return -Infinity;
    const depth = similarity.reduce((sum, series) => sum + depthAt(series, at), 0);
    const across = Math.log(Math.max(attention?.get(at) ?? 1, Number.MIN_VALUE));
    return (
      -weights.drop * (similarity[1]?.[at] ?? 0) +
      weights.depth * depth +
      weights.question * ((asks[at] ?? 0) - (asks[at - 1] ?? 0)) +
      weights.length * ((lengths[at] ?? 0) - (lengths[at - 1] ?? 0)) -
      weights.attention * Math.min(ATTENTION_LIMIT, Math.max(-ATTENTION_LIMIT, across))
    );
  });
}

/**
 * The turns that start a topic by a rule, ascending. `attentionOf` is asked once at most, for the gaps that are in doubt without
 * it; what it lacks counts nothing.
 */
export async function startsBy(
  rule: CutRule,
  turns: readonly TurnTrace[],
  attentionOf: (gaps: readonly number[]) => Promise<ReadonlyMap<number, number>>,
): Promise<number[]> {
  const mayOpen = (at: number): boolean => turns[at]?.mayOpen ?? false;
  const scores = cutScores(turns, rule.weights);
  const doubted = gapsInDoubt(scores, mayOpen, rule);
  if (doubted.length === 0) return topicStarts(scores, mayOpen, rule.least);
  return topicStarts(cutScores(turns, rule.weights, await attentionOf(doubted)), mayOpen, rule.least);
}

/**
 * The gaps whose attention may decide whether they are cuts, ascending, by scores without it. To read no other changes no cut:
 * what is left out is below the threshold whatever its attention says, or above it with both neighbours below.
 */
export function gapsInDoubt(scores: readonly number[], mayOpen: (at: number) => boolean, { weights, least }: CutRule): number[] {
  const reach = weights.attention * ATTENTION_LIMIT;
  if (reach === 0) return [];
  const may = scores.map((score, at) => at > 0 && mayOpen(at) && score + reach > least);
  return scores.flatMap((score, at) => {
    const isSure = score - reach > least && may[at - 1] !== true && may[at + 1] !== true;
    return may[at] === true && !isSure ? [at] : [];
  });
}

/** The turns that start a topic: gaps that score above `least` and no less than their neighbours. */
export function topicStarts(scores: readonly number[], mayOpen: (at: number) => boolean, least: number): number[] {
  const open = scores.map((score, at) => (at > 0 && mayOpen(at) ? score : -Infinity));
  return open.flatMap((score, at) =>
    score > least && score >= (open[at - 1] ?? -Infinity) && score >= (open[at + 1] ?? -Infinity) ? [at] : [],
  );
}

/**
 * The threshold for scores of unknown scale: so many deviations above the mean. Both are those of the run's gaps that may open
 * a topic, drawn to the prior, so that three turns are not cut at their least alike.
 */
export function relativeLeast(scores: readonly number[], mayOpen: (at: number) => boolean): number {
  const own = scores.filter((score, at) => at > 0 && mayOpen(at) && Number.isFinite(score));
  const count = own.length + PRIOR.turns;
  const mean = (own.reduce((sum, score) => sum + score, 0) + PRIOR.turns * PRIOR.mean) / count;
  const squares = own.reduce((sum, score) => sum + (score - mean) ** 2, 0) + PRIOR.turns * PRIOR.deviation ** 2;
  return mean + RELATIVE_THRESHOLD * Math.sqrt(squares / count);
}

/** Cosine of the mean vectors of the `width` turns before `at` and from it on. */
export function windowCosine(vectors: readonly (readonly number[])[], at: number, width: number): number {
  const before = vectors.slice(Math.max(0, at - width), at);
  return before.length === 0 ? 1 : dot(meanUnit(before), meanUnit(vectors.slice(at, at + width)));
}

/** The mean of vectors, of length 1. At least one vector. */
export function meanUnit(vectors: readonly (readonly number[])[]): number[] {
  const sum = Array.from(vectors[0] ?? []);
  for (const vector of vectors.slice(1)) vector.forEach((value, i) => (sum[i] = (sum[i] as number) + value));
  return unit(sum);
}

/** How far the series rises to each side within reach, the two rises added. Entry 0 is no gap and is not looked at. */
function depthAt(series: readonly number[], at: number): number {
  const here = series[at] as number;
  const before = Math.max(...series.slice(Math.max(1, at - REACH), at + 1));
  const after = Math.max(...series.slice(at, at + REACH + 1));
  return before - here + (after - here);
}

function relativeLengths(turns: readonly TurnTrace[]): number[] {
  const logs = turns.map(({ text }) => Math.log(1 + (text.match(/\S+/gu)?.length ?? 0)));
  return turns.map(({ speaker }, at) => {
    const others = logs.filter((_, other) => other !== at && Math.abs(other - at) <= NEAR && turns[other]?.speaker === speaker);
    return others.length === 0 ? 0 : (logs[at] as number) - others.reduce((sum, log) => sum + log, 0) / others.length;
  });
}
