import type { Schemas } from '@qdrant/js-client-rest';

/** Okapi's usual saturation and length normalisation, as the other stores have them. */
const K1 = 1.2;
const B = 0.75;

/** The length, in words, that counts as average in BM25 when a vector is written: nobody knows the real one then. A turn has about so many. */
const AVERAGE_LENGTH = 32;

/**
 * By how much the weights of the first point in the order of ids exceed those of the last. Points that share their words would tie
 * exactly, and a list cut among them would have to be read again; so the one with the lower id is ahead by a hair, which float32 still holds.
 */
const AHEAD = 1e-4;

/**
 * The sparse vector of a point's words, whose product with a query's is BM25 once Qdrant has put in the rarity of each
 * (modifier idf). Two words that share an index count as one: among 100,000 words about one pair does, and all that is at stake is a nomination.
 */
export function sparseOf(
  words: readonly (readonly [word: string, count: number])[],
  length: number,
  id: string,
): Schemas['SparseVector'] {
  const ahead = 1 + AHEAD * (1 - Number.parseInt(id.slice(0, 6), 16) / 0x1000000);
  const norm = K1 * (1 - B + (B * length) / AVERAGE_LENGTH);
  return vectorOf(words.map(([word, count]) => [word, (ahead * count * (K1 + 1)) / (count + norm)]));
}

/** The sparse vector of a query's words, each once. */
export const sparseQuery = (words: readonly string[]): Schemas['SparseVector'] =>
  vectorOf([...new Set(words)].map((word) => [word, 1]));

function vectorOf(weights: readonly (readonly [word: string, weight: number])[]): Schemas['SparseVector'] {
  const sums = new Map<number, number>();
  for (const [word, weight] of weights) sums.set(indexOf(word), (sums.get(indexOf(word)) ?? 0) + weight);
  return { indices: [...sums.keys()], values: [...sums.values()] };
}

/** A word's index: FNV-1a of its UTF-16 code units, 32 bits, with Murmur3's last mixing. Stored vectors rest on it: it never changes. */
function indexOf(word: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < word.length; at++) {
    const unit = word.charCodeAt(at);
    hash = Math.imul(hash ^ (unit & 0xff), 0x01000193);
    hash = Math.imul(hash ^ (unit >> 8), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
