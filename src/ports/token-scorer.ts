import type { CallOptions } from './vector-store.js';

/** What a model says of the words of one text. */
export interface WordScores {
  /** One number a word, comparable within the text: what is higher is kept first. */
  readonly scores: readonly number[];
  /** Tokens of each word by the model's own tokenizer, at least 1. */
  readonly tokens: readonly number[];
}

/**
 * Says how much each word of a text matters: a keep-probability, or what stands for one. Words are given as they stand in the
 * text, with their punctuation; a text longer than the model reads is read in windows. Failures: `config`,
 * `embedding_unavailable` (retryable).
 */
export interface TokenScorer {
  readonly name: string;
  /** One result a text, in order; a text is its list of words. */
  scoreWords(texts: readonly (readonly string[])[], options?: CallOptions): Promise<readonly WordScores[]>;
}
