import { bm25, type Signals } from '../domain/ranking.js';
import { dot } from '../domain/vector.js';
import type { StoredPoint, TermStatistics } from '../ports/vector-store.js';
import { newestOf } from './versions.js';

/** What a search compares every candidate with. */
export interface Compared {
  /** The query as it was embedded. */
  readonly vector: readonly number[];
  /** Its words, each once; none in a search by vectors alone. */
  readonly words: readonly string[];
  /** Of the space's nodes, by kind. */
  readonly statistics: ReadonlyMap<string, TermStatistics>;
}

/** A node that a search looks at, with both signals, whoever nominated it. */
export interface Nominee extends Signals {
  readonly point: StoredPoint;
}

/** Gives these points, read with vectors and terms, both scores by the same arithmetic, each node once in its newest version. */
export function nominees(points: readonly StoredPoint[], { vector, words, statistics }: Compared): Nominee[] {
  // Both signals may name the same point, and a crash may have left two versions.
  return [...newestOf(points).values()].map((point) => {
    const known = statistics.get(String(point.payload['kind']));
    const { counts, length } = wordsIn(point);
    return {
      id: String(point.payload['nodeId']),
      dense: point.vector ? dot(vector, point.vector) : 0,
      bm25: known === undefined || words.length === 0 ? 0 : bm25(counts, length, words, known),
      point,
    };
  });
}

/** A point's words with their counts, and how many they are in all. */
export function wordsIn({ terms = {} }: StoredPoint): { counts: Readonly<Record<string, number>>; length: number } {
  return { counts: terms, length: Object.values(terms).reduce((sum, count) => sum + count, 0) };
}
