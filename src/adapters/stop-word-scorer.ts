import { STOP_WORDS } from '../domain/words.js';
import type { TokenScorer, WordScores } from '../ports/token-scorer.js';

/** A word's length from which longer says no more of what it tells. */
const LONG = 12;

/**
 * Scores words without a model: stop words last, the others by length. For whoever embeds at an endpoint and has no model on
 * this machine; the attention of one is better (facts/models.md 2.4).
 */
export class StopWordScorer implements TokenScorer {
  readonly name = 'stop words';

  async scoreWords(texts: readonly (readonly string[])[]): Promise<WordScores[]> {
    return await Promise.resolve(texts.map((words) => ({ scores: words.map(scoreOf), tokens: words.map(() => 1) })));
  }
}

function scoreOf(word: string): number {
  const bare = word.toLowerCase().replace(/[^\p{L}\p{M}\p{N}]+$|^[^\p{L}\p{M}\p{N}]+/gu, '');
  return STOP_WORDS.has(bare) ? 0 : Math.min(bare.length, LONG) / LONG;
}
