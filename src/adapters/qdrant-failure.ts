import { EngraphError } from '../domain/failure.js';

/** What was seen of a call's answer before the client made an error of it. */
export interface Seen {
  status?: number;
  retryAfter?: string;
}

/** What the server did not answer within the time-out. */
export class TimedOut extends Error {}

/** Longest wait asked for by a server that is kept, in milliseconds. */
const LONGEST_WAIT_MS = 600_000;

/**
 * The failure that a rejected call to Qdrant means. 429, 408, 5xx, time-outs and whatever happens to the connection pass by
 * themselves (`store_unavailable`, with the wait that was asked for); 401 and 403 are `config`; other 4xx are
 * `store_unavailable` that is not to be tried again. Any other error, which is no answer of a server, comes back as it is.
 * The client's own errors leave out the text (in `data.status.error`) and read only the first digit of `retry-after`, so both
 * are taken from the answer itself (facts/vector-stores.md 6).
 */
export function failureOf(error: unknown, shown: string, seen: Seen): unknown {
  if (error instanceof EngraphError) return error;
  if (error instanceof TimedOut) return unavailable(`${shown} ${error.message}`, { cause: error });
  if (seen.status === undefined || seen.status < 400) return isOfConnection(error) ? unreachable(error, shown) : error;
  const { status } = seen;
  const said = textOf(error);
  const message = `${shown} answered ${status}${said && `: ${said}`}`;
  const details = { status };
  if (status === 401 || status === 403) {
    return new EngraphError('config', `${message}. Check QDRANT_API_KEY`, { details: { ...details, setting: 'QDRANT_API_KEY' } });
  }
  const passing = status === 408 || status === 429 || status >= 500;
  const wait = passing ? waitAsked(seen.retryAfter) : undefined;
  return unavailable(message, { retryable: passing, details, ...(wait !== undefined && { retryAfterMs: wait }) });
}

/** The status of an answer that was a refusal; undefined for any other failure. */
export function statusOf(error: unknown): number | undefined {
  const status = error instanceof EngraphError ? error.details['status'] : undefined;
  return typeof status === 'number' ? status : undefined;
}

/** Milliseconds that `retry-after` asks for, in seconds or as a date; undefined where it asks for nothing. */
function waitAsked(retryAfter: string | undefined): number | undefined {
  if (retryAfter === undefined) return undefined;
  const wait = Number.isNaN(Number(retryAfter)) ? Date.parse(retryAfter) - Date.now() : Number(retryAfter) * 1_000;
  return wait > 0 ? Math.min(Math.ceil(wait), LONGEST_WAIT_MS) : undefined;
}

/** The server's own words, at most 200 characters. A quoted value may be memory, so only quoted names are kept. */
function textOf(error: unknown): string {
  const { data } = (error ?? {}) as { data?: { status?: { error?: unknown } } };
  const said = data?.status?.error;
  if (typeof said !== 'string') return '';
  const told = said.replace(/"((?:[^"\\]|\\.)*)"?/gu, (_, quoted: string) =>
    /^[\w.-]{1,60}$/u.test(quoted) ? `"${quoted}"` : '"…"',
  );
  return told.replace(/\s+/gu, ' ').slice(0, 200);
}

/** `fetch failed` and `terminated` are TypeErrors with a cause; an answer that was cut off is no JSON. */
const isOfConnection = (error: unknown): boolean =>
  error instanceof SyntaxError || (error instanceof TypeError && error.cause !== undefined);

function unreachable(error: unknown, shown: string): EngraphError {
  let root = error;
  while (root instanceof Error && root.cause !== undefined) root = root.cause;
  const first = root instanceof AggregateError ? (root.errors[0] as unknown) : root;
  const why = error instanceof SyntaxError ? 'its answer was cut off' : first instanceof Error ? first.message : String(first);
  return unavailable(`${shown} could not be reached: ${why}`, { cause: error });
}

function unavailable(message: string, options: ConstructorParameters<typeof EngraphError>[2]): EngraphError {
  return new EngraphError('store_unavailable', `the store ${message}`, options);
}
