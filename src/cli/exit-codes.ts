import { EngraphError, type FailureKind } from '../domain/failure.js';

/** What the process says to its shell. */
export const EXIT = {
  ok: 0,
  /** The task failed, a check was not passed, or what was asked for is not there. */
  failed: 1,
  /** What was typed or configured can't be used; the same again fails again. */
  usage: 2,
  /** Temporal, the store or a model can't be reached or refuses to serve. */
  unavailable: 3,
  /** Ctrl-C: 128 and the number of SIGINT, as shells have it. */
  interrupted: 130,
} as const;

const CODES: Readonly<Record<FailureKind, number>> = {
  config: EXIT.usage,
  validation: EXIT.usage,
  bad_space: EXIT.usage,
  bad_timestamp: EXIT.usage,
  too_large: EXIT.usage,
  reserved_key: EXIT.usage,
  embedding_dimension: EXIT.usage,
  embedding_model: EXIT.usage,
  embedding_unavailable: EXIT.unavailable,
  llm_auth: EXIT.unavailable,
  llm_quota: EXIT.unavailable,
  llm_rate_limited: EXIT.unavailable,
  llm_no_choices: EXIT.unavailable,
  llm_refused: EXIT.failed,
  llm_truncated: EXIT.failed,
  llm_unparseable: EXIT.failed,
  llm_rejected: EXIT.failed,
  llm_unavailable: EXIT.unavailable,
  store_unavailable: EXIT.unavailable,
  temporal_unavailable: EXIT.unavailable,
  version_conflict: EXIT.failed,
  rolling_over: EXIT.unavailable,
  not_found: EXIT.failed,
};

/** The exit code of a failure: by its kind; 1 for one that is none of ours. */
export function exitCodeOf(error: unknown): number {
  return error instanceof EngraphError ? CODES[error.kind] : EXIT.failed;
}
