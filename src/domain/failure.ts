/**
 * Every way in which Engraph can fail, by a stable name (design.md section 8). The kind is what a caller switches on, what
 * Temporal shows as the failure's type, and what the CLI prints; it is never renamed.
 */
export const FAILURE_KINDS = [
  'config',
  'validation',
  'bad_space',
  'bad_timestamp',
  'too_large',
  'reserved_key',
  'embedding_dimension',
  'embedding_model',
  'embedding_unavailable',
  'llm_auth',
  'llm_quota',
  'llm_rate_limited',
  'llm_no_choices',
  'llm_refused',
  'llm_truncated',
  'llm_unparseable',
  'llm_rejected',
  'llm_unavailable',
  'store_unavailable',
  'temporal_unavailable',
  'version_conflict',
  'rolling_over',
  'not_found',
] as const;

export type FailureKind = (typeof FAILURE_KINDS)[number];

/** Kinds that may pass by themselves: the same call can succeed later with nothing changed. */
const PASSING: ReadonlySet<FailureKind> = new Set<FailureKind>([
  'embedding_unavailable',
  'llm_rate_limited',
  'llm_no_choices',
  'llm_unavailable',
  'store_unavailable',
  'temporal_unavailable',
  'version_conflict',
  'rolling_over',
]);

export interface FailureOptions {
  /** Whether the same call may succeed later; by default what the kind says. */
  readonly retryable?: boolean;
  /** How long the other side asked us to wait, in milliseconds. */
  readonly retryAfterMs?: number;
  /** What went wrong below. */
  readonly cause?: unknown;
  /** Ids, sizes and limits for a program to read. Never the text of a memory. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** A failure with a kind. The message names the value at fault and the way out, and holds neither a key nor memory text. */
export class EngraphError extends Error {
  readonly kind: FailureKind;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(kind: FailureKind, message: string, options: FailureOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'EngraphError';
    this.kind = kind;
    this.retryable = options.retryable ?? PASSING.has(kind);
    this.retryAfterMs = options.retryAfterMs;
    this.details = options.details ?? {};
  }
}
