import { wordsOf } from './words.js';

/** The text with more different words, since it says more; of equals the first. */
export function mostDistinct(first: string, second: string): string {
  return new Set(wordsOf(second)).size > new Set(wordsOf(first)).size ? second : first;
}

/**
 * Whether a text made of two still says something of what only `own` said: at least one of its words that `other` does not
 * have. True where it has no such word.
 */
export function saysStill(text: string, own: string, other: string): boolean {
  const others = new Set(wordsOf(other));
  const telling = wordsOf(own).filter((word) => !others.has(word));
  const said = new Set(wordsOf(text));
  return telling.length === 0 || telling.some((word) => said.has(word));
}
