import { ActivityFailure, ApplicationFailure, ChildWorkflowFailure, TimeoutFailure } from '@temporalio/workflow';

import { EngraphError, FAILURE_KINDS, type FailureKind } from '../src/domain/failure.js';
import type { Totals } from '../src/domain/refinement.js';

/** Runs a check of the domain; what it refuses fails the workflow for good, with the kind as the failure's type. */
export function checked<T>(check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (error instanceof EngraphError) throw ApplicationFailure.nonRetryable(error.message, error.kind);
    throw error;
  }
}

/** The kind of a part of ours that failed for good; undefined for anything else, such as a failure of the caller's own agent. */
export function kindOf(error: unknown): FailureKind | undefined {
  const type = deepest(error) instanceof ApplicationFailure ? (deepest(error) as ApplicationFailure).type : undefined;
  return FAILURE_KINDS.find((kind) => kind === type);
}

/** What an activity's failure says, without Temporal's wrapping. */
export function messageOf(error: unknown): string {
  const root = deepest(error);
  if (root instanceof TimeoutFailure) return `timed out: ${root.message}`;
  return root instanceof Error ? root.message : String(root);
}

/** What model calls cost that came to nothing, where the failure says so. */
export function spentOf(error: unknown): Partial<Totals> {
  const failure = deepest(error);
  const [details] = failure instanceof ApplicationFailure ? (failure.details ?? []) : [];
  return (details as { spent?: Totals } | undefined)?.spent ?? {};
}

function deepest(error: unknown): unknown {
  const wrapped = error instanceof ActivityFailure || error instanceof ChildWorkflowFailure;
  return wrapped && error.cause !== undefined ? error.cause : error;
}
