import type { CollectionStatistics } from './ranking.js';
import { wordsOf } from './words.js';

/** A word that more than this share of a space's texts have tells none of them from the others. */
const COMMON_SHARE = 0.3;

/** In fewer texts than this a share says nothing about a word. */
const FEWEST_TEXTS = 20;

const TOKEN = /[\p{L}\p{N}]+(?:['’]\p{L}+)*/gu;

/**
 * A query without the words that most of the space's texts have: they tell no text from another, yet they draw a short query's
 * vector to themselves. (LoCoMo, three tuning conversations, where those words are the speakers' names: recall@10 of MiniLM
 * alone 49.9 with them, 65.0 without.) A query that would have no telling word left stays as it is.
 */
export function tellingQuery(query: string, { documents, frequency }: CollectionStatistics): string {
  if (documents < FEWEST_TEXTS) return query;
  const isCommon = (word: string): boolean => Object.hasOwn(frequency, word) && (frequency[word] ?? 0) > COMMON_SHARE * documents;
  if (wordsOf(query).every(isCommon)) return query;
  const cut = query.replace(TOKEN, (token) => (wordsOf(token).every(isCommon) ? '' : token));
  return cut.replace(/\s+/gu, ' ').trim();
}
