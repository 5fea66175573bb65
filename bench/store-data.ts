import { idOf } from '../src/domain/id.js';
import { unit } from '../src/domain/vector.js';
import { countWords } from '../src/domain/words.js';
import type { Filter, Write } from '../src/ports/vector-store.js';
import { seeded } from './seeded-numbers.js';

export const DIMENSION = 384;
export const TOP = 20;
export const SPACE = 'bench';

/** What nearly every search of ours asks for. */
export const CURRENT: Filter = [
  { field: 'kind', anyOf: ['semantic'] },
  { field: 'retiredAt', absent: true },
];

/** Vectors that lie in clusters of few dimensions, as embeddings do, and texts of 36 words, common and rare ones. */
export function generator(seed: number): { vector: () => number[]; text: () => string } {
  const next = seeded(seed);
  const basis = Array.from({ length: 48 }, () => unit(Array.from({ length: DIMENSION }, () => next() - 0.5)));
  const vector = () => {
    const sum = Array.from({ length: DIMENSION }, () => 0.02 * (next() - 0.5));
    for (let part = 0; part < 4; part++) {
      const weight = next();
      const direction = basis[Math.floor(next() * basis.length)] ?? [];
      for (let i = 0; i < DIMENSION; i++) sum[i] = (sum[i] ?? 0) + weight * (direction[i] ?? 0);
    }
    return unit(sum);
  };
  // The third power gives few common words and many rare ones.
  const text = () => Array.from({ length: 36 }, () => `w${Math.floor(next() ** 3 * 20_000)}`).join(' ');
  return { vector, text };
}

/** A point as a store of ours gets them: three of four semantic, one of ten retired. */
export function newPoint(position: number, vector: number[], text: string): Write {
  const kind = position % 4 === 0 ? 'episodic' : 'semantic';
  const recordedAt = new Date(Date.UTC(2026, 0, 1) + position * 1000).toISOString();
  const retired = position % 10 === 0 ? { retiredAt: recordedAt } : {};
  const id = idOf('bench', position);
  const payload = {
    ...{ kind, form: 'chunk', nodeId: id, version: 1, recordedAt, ...retired },
    ...{ document: `d${position >> 6}`, position, text },
  };
  return { point: { id, space: SPACE, vector, terms: countWords(text), payload } };
}

/** Every vector in one typed array, read from the first to the last: exact, nothing stored, filtered or fetched. */
export class ExactScan {
  readonly #vectors: Float32Array;
  #size = 0;

  constructor(most: number) {
    this.#vectors = new Float32Array(DIMENSION * most);
  }

  add(vector: readonly number[]): void {
    this.#vectors.set(vector, this.#size++ * DIMENSION);
  }

  /** Positions of the nearest, best first. */
  nearest(query: Float32Array, limit = TOP): number[] {
    const top: { row: number; score: number }[] = [];
    for (let row = 0, at = 0; row < this.#size; row++, at += DIMENSION) {
      let score = 0;
      for (let i = 0; i < DIMENSION; i++) score += (this.#vectors[at + i] as number) * (query[i] as number);
      if (top.length === limit && score <= (top[limit - 1]?.score ?? 0)) continue;
      let place = top.length;
      while (place > 0 && (top[place - 1]?.score ?? 0) < score) place -= 1;
      top.splice(place, 0, { row, score });
      if (top.length > limit) top.pop();
    }
    return top.map(({ row }) => row);
  }
}
