import type { SemanticNode } from './graph.js';
import { wordsOf } from './words.js';

/** What of a fact is held against another to tell whether both say the same. */
export type StatedFact = Pick<SemanticNode, 'text' | 'speaker'>;

/** Cosine at which two texts are looked at more closely (tuned). */
const NEAR = 0.8;

/** Whether two facts say the same, decided without a model, in either order; `cosine` is that of their vectors. */
export function isDuplicate(a: StatedFact, b: StatedFact, cosine: number): boolean {
  if (a.speaker !== undefined && b.speaker !== undefined && a.speaker !== b.speaker) return false;
  if (plain(a.text) === plain(b.text)) return true;
  const [left, right] = [new Set(wordsOf(a.text)), new Set(wordsOf(b.text))];
  const both = [...left].filter((word) => right.has(word)).length;
  return cosine >= NEAR && both / Math.max(1, Math.min(left.size, right.size)) >= 0.8;
}

const plain = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
