import type { CallOptions } from './vector-store.js';

/** A text made shorter. */
export interface Compressed {
  /** Words of the original, whole, in their order and case; the original itself where nothing would be left. */
  readonly text: string;
  /** Share of the original's tokens that was kept, 0 to 1; more than asked where what must stay takes more. */
  readonly achieved: number;
}

/**
 * Leaves out what a reader misses least [LightMem: sensory memory]. Negations, numbers with their units, identifiers, dates,
 * quotations and names survive any share. Texts of any length; well-formed Unicode in and out, whatever comes. Each text is
 * compressed by itself, so the result depends on no other. Failures: `validation` for a share outside (0, 1], `config`,
 * `embedding_unavailable` (retryable).
 */
export interface Compressor {
  /** What scores the words, as a user is told it. */
  readonly name: string;
  /** One result a text, in order. `keepShare` is r of the paper, 0.4 to 0.8; 1 gives the texts as they are. */
  compress(texts: readonly string[], keepShare: number, options?: CallOptions): Promise<readonly Compressed[]>;
}
