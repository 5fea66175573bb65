import { isGrpcServiceError } from '@temporalio/client';

import { EngraphError } from '../domain/failure.js';
import { reaching } from '../workflow-failures.js';

/** gRPC's numbers of refusals that the same call meets again: invalid argument, not found, permission denied, precondition, unauthenticated. */
const LASTING: ReadonlySet<number> = new Set([3, 5, 7, 9, 16]);

/** A failure as the command line tells it: what Temporal's server says gets a kind of ours; anything else is as it was. */
export function toldFailure(error: unknown): unknown {
  const ours = reaching(error);
  if (ours instanceof EngraphError) return ours;
  const service = error instanceof Error && isGrpcServiceError(error.cause) ? error.cause : error;
  if (!isGrpcServiceError(service)) return error;
  const kind = LASTING.has(service.code) ? 'config' : 'temporal_unavailable';
  return new EngraphError(kind, `Temporal says: ${service.details}`, { cause: error });
}
