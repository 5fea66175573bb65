import type { Verdict } from '../domain/verdicts.js';

/** `reconcile`: what a fact does to the earlier ones that it is held against. */
export interface ReconcileInput {
  readonly fact: ReconcileFact;
  /** Earlier facts, numbered from 1 in time order. */
  readonly memories: readonly (ReconcileFact & { readonly n: number })[];
}

/** A fact as it is shown. */
export interface ReconcileFact {
  readonly text: string;
  readonly speaker?: string;
  /** Event time, ISO 8601; absent where nobody knows. */
  readonly at?: string;
}

/** The answer to `reconcile`. A memory that it leaves out is kept. */
export interface ReconcileReply {
  readonly reason: string;
  readonly verdicts: readonly Verdict[];
}
