import type { CallOptions } from './vector-store.js';

/** A turn as segmentation sees it. */
export interface SensedTurn {
  readonly text: string;
  /** Unit vector of the turn. */
  readonly vector: readonly number[];
  /** Who speaks, by any name: lengths are compared among the turns of one speaker. */
  readonly speaker: string;
  /** False for a turn that only answers the one before (an assistant's, a tool's): no topic starts there. */
  readonly mayOpen: boolean;
}

/**
 * Cuts a run of turns into topics. The same turns give the same cuts. Failures: `config`, `embedding_unavailable` (retryable).
 */
export interface Segmenter {
  /** What it goes by, as a user is told it. */
  readonly name: string;
  /** Indexes of the turns that start a new topic, ascending; never 0. */
  starts(turns: readonly SensedTurn[], options?: CallOptions): Promise<number[]>;
}
