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
  /** Minus the log of the attention across the gap over that inside its sides (`src/domain/attention-cut.ts`). */
  readonly attention: number;
}

/**
 * Fitted by logistic regression on TIAGE's dev part and the three LoCoMo conversations of the tune set, each set counting the
 * same, then rounded; that of attention is one of 0, 0.2, 0.3, 0.4 and 0.6, seen on both sets. Exact F1 with the threshold left out of each
 * dialogue: 55.6 on TIAGE's test part and 55.4 on LoCoMo (54 with the conversation left out of the fit), where the dip of
 * facts/baselines.md 3 has 44.3 and 43.6 at its best threshold for each. Most of it comes from the question; attention's own share is within
 * noise (+0.1, +0.6): real dialogue is not the synthetic one on which it told most (facts/models.md 2.3).
 */
export const CUT_WEIGHTS: CutWeights = { drop: 2.8, depth: 1, question: 1.4, length: 1, attention: 0.3 };

/**
 * How many standard deviations above the mean a gap must score to be a cut. The best is 0.5 on TIAGE, where one turn in five
 * starts a topic, and 1.6 on LoCoMo, where one in eighteen does; at this one in between F1 is 48 on both.
 */
export const CUT_THRESHOLD = 1.2;

/** Mean and deviation of scores over both tune sets, which a short run is drawn to as if it had `turns` more gaps. */
const PRIOR = { mean: -0.45, deviation: 1.5, turns: 20 } as const;

/** Gaps to each side within which a dip's depth is measured. */
const REACH = 4;
/** Turns to each side among which a turn's length is compared. */
const NEAR = 6;

/**
 * How much each gap looks like a border of topics: entry k stands for a topic that starts at turn k; entry 0 is -Infinity.
 * `attention` has an entry a turn too (the first is not read); without it that signal counts nothing.
 */
export function cutScores(
  turns: readonly TurnTrace[],
  attention?: readonly number[],
  weights: CutWeights = CUT_WEIGHTS,
): number[] {
  const vectors = turns.map(({ vector }) => vector);
  const similarity = [1, 2, 3].map((width) => vectors.map((_, at) => windowCosine(vectors, at, width)));
  const asks = turns.map(({ text }) => (/[?？؟]/u.test(text) ? 1 : 0));
  const lengths = relativeLengths(turns);
  return turns.map((_, at) => {
    if (at === 0) return -Infinity;
    const depth = similarity.reduce((sum, series) => sum + depthAt(series, at), 0);
    return (
      -weights.drop * (similarity[1]?.[at] ?? 0) +
      weights.depth * depth +
      weights.question * ((asks[at] ?? 0) - (asks[at - 1] ?? 0)) +
      weights.length * ((lengths[at] ?? 0) - (lengths[at - 1] ?? 0)) -
      weights.attention * Math.log(Math.max(attention?.[at] ?? 1, 0.02))
    );
  });
}

/**
 * The turns that start a topic: gaps that score above `threshold` deviations over the mean and no less than their neighbours.
 * Mean and deviation are those of the run, drawn to the prior, so that three turns are not cut at their least alike.
 */
export function topicStarts(scores: readonly number[], mayOpen: (at: number) => boolean, threshold = CUT_THRESHOLD): number[] {
  const open = scores.map((score, at) => (at > 0 && mayOpen(at) ? score : -Infinity));
  const own = open.filter(Number.isFinite);
  const count = own.length + PRIOR.turns;
  const mean = (own.reduce((sum, score) => sum + score, 0) + PRIOR.turns * PRIOR.mean) / count;
  const squares = own.reduce((sum, score) => sum + (score - mean) ** 2, 0) + PRIOR.turns * PRIOR.deviation ** 2;
  const least = mean + threshold * Math.sqrt(squares / count);
  return open.flatMap((score, at) =>
    score > least && score >= (open[at - 1] ?? -Infinity) && score >= (open[at + 1] ?? -Infinity) ? [at] : [],
  );
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
