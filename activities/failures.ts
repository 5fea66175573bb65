import { ApplicationFailure, CancelledFailure, Context } from '@temporalio/activity';

import { EngraphError } from '../src/domain/failure.js';

/** How often an activity tells the server that it lives: well under the 10 seconds after which it counts as dead. */
const BEAT_MS = 2_500;

/**
 * Runs an activity's work, heartbeating, with the signal that aborts it when Temporal cancels it. The one place where a
 * failure of ours becomes one of Temporal's: the kind is its type, the wait that the other side asked for its next delay.
 * What we do not know passes unchanged.
 */
export async function working<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const context = Context.current();
  // Not at once: what takes no time would cost the server a call more.
  const beat = setInterval(() => context.heartbeat(), BEAT_MS);
  try {
    return await work(context.cancellationSignal);
  } catch (error) {
    if (context.cancellationSignal.aborted) throw new CancelledFailure('cancelled while at work', [], asError(error));
    throw error instanceof EngraphError ? failureOf(error) : error;
  } finally {
    clearInterval(beat);
  }
}

function failureOf(error: EngraphError): ApplicationFailure {
  return ApplicationFailure.create({
    type: error.kind,
    message: error.message,
    nonRetryable: !error.retryable,
    details: [error.details],
    ...(error.cause instanceof Error && { cause: new Error(error.cause.message) }),
    ...(error.retryAfterMs !== undefined && { nextRetryDelay: error.retryAfterMs }),
  });
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
