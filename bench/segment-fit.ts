import { cutScores, topicStarts, type CutRule, type CutWeights } from '../src/domain/segmentation.js';
import type { Sensed } from './segment-cut.js';
import { qualityOf } from './segment-measures.js';

/** A dialogue with the attention across all of its gaps. */
export interface Fitted extends Sensed {
  readonly attention: ReadonlyMap<number, number>;
}

const NONE: CutWeights = { drop: 0, depth: 0, question: 0, length: 0, attention: 0 };
const SIGNALS = ['drop', 'depth', 'question', 'length', 'attention'] as const satisfies readonly (keyof CutWeights)[];

const THRESHOLDS = Array.from({ length: 61 }, (_, at) => -4 + at / 10);

/** Weight of the squared coefficients of standardised signals, against gaps that weigh a thousand a set: next to nothing. */
const RIDGE = 1;

/**
 * The rule that logistic regression makes of these sets, each counting the same however many gaps it has, with the threshold at
 * which the set that is cut worst has its best F1 (mean of three neighbouring thresholds).
 */
export function fitRule(sets: readonly (readonly Fitted[])[], { attention = true } = {}): CutRule {
  const signals = attention ? SIGNALS : SIGNALS.slice(0, -1);
  const rows = sets.flatMap((set) => {
    const own = set.flatMap((one) => gapsOf(one, signals));
    return own.map((gap) => ({ ...gap, weight: 1_000 / own.length }));
  });
  const coefficients = logistic(rows);
  const rounded = signals.map((name, at) => [name, Number((coefficients[at] as number).toFixed(2))] as const);
  const weights = { ...NONE, ...Object.fromEntries(rounded) };
  return { weights, least: thresholdFor(weights, sets) };
}

interface Gap {
  readonly signals: readonly number[];
  readonly isBorder: boolean;
}

function gapsOf(one: Fitted, signals: readonly (keyof CutWeights)[]): Gap[] {
  const columns = signals.map((name) => cutScores(one.turns, { ...NONE, [name]: 1 }, one.attention));
  return one.turns.slice(1).map((_, gap) => ({
    signals: columns.map((column) => column[gap + 1] as number),
    isBorder: one.starts.includes(gap + 1),
  }));
}

function thresholdFor(weights: CutWeights, sets: readonly (readonly Fitted[])[]): number {
  const curves = sets.map((set) => {
    const scored = set.map((one) => ({ one, scores: cutScores(one.turns, weights, one.attention) }));
    const f1 = THRESHOLDS.map((least) => {
      const cuts = scored.map(({ one, scores }) => ({
        ...{ turns: one.turns.length, truth: one.starts },
        found: topicStarts(scores, (at) => one.turns[at]?.mayOpen ?? false, least),
      }));
      return qualityOf(cuts).f1;
    });
    return f1.map((_, at) => {
      const near = f1.slice(Math.max(0, at - 1), at + 2);
      return near.reduce((sum, value) => sum + value, 0) / near.length;
    });
  });
  const worst = THRESHOLDS.map((_, at) => Math.min(...curves.map((curve) => curve[at] as number)));
  return Number((THRESHOLDS[worst.indexOf(Math.max(...worst))] as number).toFixed(1));
}

/** Coefficients of the signals as they are, by Newton's method on standardised ones. The constant is left to the threshold. */
function logistic(rows: readonly (Gap & { readonly weight: number })[]): number[] {
  const width = rows[0]?.signals.length ?? 0;
  const columns = Array.from({ length: width }, (_, i) => rows.map(({ signals }) => signals[i] as number));
  const means = columns.map((column) => column.reduce((sum, value) => sum + value, 0) / rows.length);
  const deviations = columns.map((column, i) =>
    Math.sqrt(column.reduce((sum, value) => sum + (value - (means[i] as number)) ** 2, 0) / rows.length),
  );
  const inputs = rows.map(({ signals }) => [
    ...signals.map((value, i) => (value - (means[i] as number)) / ((deviations[i] as number) || 1)),
    1,
  ]);
  let beta: number[] = Array.from({ length: width + 1 }, () => 0);
  for (let step = 0; step < 30; step++) {
    const gradient = beta.map((value, i) => (i < width ? RIDGE * value : 0));
    const hessian = beta.map((_, i) => beta.map((__, j) => (i === j && i < width ? RIDGE : 0)));
    rows.forEach(({ isBorder, weight }, at) => {
      const input = inputs[at] as readonly number[];
      const chance = 1 / (1 + Math.exp(-input.reduce((sum, value, i) => sum + value * (beta[i] as number), 0)));
      input.forEach((value, i) => {
        gradient[i] = (gradient[i] as number) + weight * (chance - Number(isBorder)) * value;
        const row = hessian[i] as number[];
        input.forEach((other, j) => (row[j] = (row[j] as number) + weight * chance * (1 - chance) * value * other));
      });
    });
    const change = solve(hessian, gradient);
    beta = beta.map((value, i) => value - (change[i] as number));
  }
  return beta.slice(0, width).map((value, i) => value / ((deviations[i] as number) || 1));
}

/** Gauss's elimination; the matrix is symmetric and positive definite, so that no pivot is nought. */
function solve(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
  const rows = matrix.map((row, i) => [...row, right[i] as number]);
  rows.forEach((pivot, i) => {
    rows.forEach((row, k) => {
      if (k === i) return;
      const factor = (row[i] as number) / (pivot[i] as number);
      for (let j = i; j < row.length; j++) row[j] = (row[j] as number) - factor * (pivot[j] as number);
    });
  });
  return rows.map((row, i) => (row.at(-1) as number) / (row[i] as number));
}
