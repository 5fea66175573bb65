import { WorkflowFailedError, WorkflowNotFoundError, WorkflowUpdateFailedError, isGrpcServiceError } from '@temporalio/client';
import { ActivityFailure, ApplicationFailure, CancelledFailure, TerminatedFailure, TimeoutFailure } from '@temporalio/common';

import { EngraphError, FAILURE_KINDS } from './domain/failure.js';

/**
 * A failure of a workflow or an update as one of ours, with its kind; what has none of ours passes unchanged. Whether the same
 * may succeed later is what the kind says: a workflow's failure is always for good, as far as Temporal is concerned.
 */
export function failureOf(error: unknown): unknown {
  if (error instanceof WorkflowNotFoundError)
    return new EngraphError('not_found', `there is no workflow ${error.workflowId}, or it has ended`, { cause: error });
  if (!(error instanceof WorkflowFailedError || error instanceof WorkflowUpdateFailedError)) return reaching(error);
  const root = error.cause instanceof ActivityFailure ? error.cause.cause : error.cause;
  if (root instanceof ApplicationFailure) {
    const kind = FAILURE_KINDS.find((one) => one === root.type);
    if (kind !== undefined) return new EngraphError(kind, root.message, { cause: error });
  }
  if (root instanceof TerminatedFailure)
    return new EngraphError('not_found', 'the workflow was terminated before it had a result', { cause: error });
  if (root instanceof TimeoutFailure)
    return new EngraphError('temporal_unavailable', `the workflow timed out: ${root.message}`, { cause: error });
  return error;
}

/** A connection's failure as `temporal_unavailable`; anything else unchanged. */
export function reaching(error: unknown): unknown {
  const service = error instanceof Error && isGrpcServiceError(error.cause) ? error.cause : error;
  if (!isGrpcServiceError(service)) return error;
  if (service.code !== UNAVAILABLE && service.code !== DEADLINE_EXCEEDED) return error;
  return new EngraphError('temporal_unavailable', `Temporal does not answer: ${service.details}`, { cause: error });
}

/** Whether a workflow ended as cancelled. */
export const wasCancelled = (error: unknown): boolean =>
  error instanceof WorkflowFailedError && error.cause instanceof CancelledFailure;

/** gRPC's numbers. */
const UNAVAILABLE = 14;
const DEADLINE_EXCEEDED = 4;
