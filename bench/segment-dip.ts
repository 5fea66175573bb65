import { windowCosine } from '../src/domain/segmentation.js';
import { qualityOf, type CutQuality } from './segment-measures.js';

const WIDTHS = [1, 2, 3] as const;
const THRESHOLDS = [-0.5, 0, 0.5, 1, 1.5, 2] as const;

/** A dialogue's vectors, one a turn, and its borders. */
export interface Embedded {
  readonly vectors: readonly (readonly number[])[];
  readonly starts: readonly number[];
}

/** The dip baseline at the width and threshold that give the set its best F1: chosen on the set itself, which is generous to it. */
export function bestDip(dialogues: readonly Embedded[]): { quality: CutQuality; width: number; threshold: number } {
  const tried = WIDTHS.flatMap((width) => {
    const dips = dialogues.map(({ vectors }) => dipsOf(vectors, width));
    return THRESHOLDS.map((threshold) => {
      const cuts = dialogues.map(({ vectors, starts }, at) => ({
        turns: vectors.length,
        truth: starts,
        found: deepest(dips[at] as Dips, threshold),
      }));
      return { quality: qualityOf(cuts), width, threshold };
    });
  });
  return tried.reduce((best, one) => (one.quality.f1 > best.quality.f1 ? one : best));
}

interface Dips {
  readonly similarity: readonly number[];
  readonly depth: readonly number[];
}

/** Of the gaps before turns 1, 2 and so on: cosine of the windows, and how far it climbs to each side before it falls again. */
function dipsOf(vectors: readonly (readonly number[])[], width: number): Dips {
  const similarity = vectors.slice(1).map((_, gap) => windowCosine(vectors, gap + 1, width));
  const climb = (from: number, step: number): number => {
    let at = from;
    while (similarity[at + step] !== undefined && (similarity[at + step] as number) >= (similarity[at] as number)) at += step;
    return (similarity[at] as number) - (similarity[from] as number);
  };
  return { similarity, depth: similarity.map((_, gap) => climb(gap, -1) + climb(gap, 1)) };
}

function deepest({ similarity, depth }: Dips, threshold: number): number[] {
  if (depth.length === 0) return [];
  const mean = depth.reduce((sum, one) => sum + one, 0) / depth.length;
  const deviation = Math.sqrt(depth.reduce((sum, one) => sum + (one - mean) ** 2, 0) / depth.length);
  return depth.flatMap((one, gap) => {
    const here = similarity[gap] as number;
    const isLow = here <= (similarity[gap - 1] ?? Infinity) && here <= (similarity[gap + 1] ?? Infinity);
    return isLow && one > mean + threshold * deviation ? [gap + 1] : [];
  });
}
