import { APIConnectionTimeoutError, APIError } from 'openai';

import { EngraphError, type FailureKind, type FailureOptions } from '../domain/failure.js';
import { TimedOut, type OpenAiServer } from './openai-endpoint.js';

/** A call as its failure tells it. */
export interface FailedCall {
  readonly server: OpenAiServer;
  /** The kind of a failure that passes by itself. */
  readonly unavailable: 'llm_unavailable' | 'embedding_unavailable';
  /** What was sent. An error text that repeats a piece of it isn't passed on: it may be memory. */
  readonly sent: readonly string[];
  /** Goes into `details`. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Longest wait asked for by a server that is kept, in milliseconds. A server that asks for more is asked again after this. */
const LONGEST_WAIT_MS = 600_000;

/** Error codes and types by which providers say that money, not time, is what is lacking. */
const QUOTA = new Set(['insufficient_quota', 'billing_hard_limit_reached', 'billing_not_active', 'insufficient_balance']);

/**
 * The failure that a rejected request means: 401 and 403 `llm_auth`; 402, and 429 that speaks of quota, `llm_quota`, never
 * retried (case O08); other 429 `llm_rate_limited` with the wait asked for (case O07); 408, 409, 5xx, time-outs and whatever
 * happens to the connection the call's `unavailable`; other 4xx `llm_rejected`. A server's `x-should-retry` decides otherwise
 * for all but quota. Messages hold no key.
 */
export function failureOf(error: unknown, call: FailedCall): EngraphError {
  const { server, unavailable } = call;
  if (!(error instanceof APIError) || error.status === undefined) {
    const timedOut = error instanceof TimedOut || error instanceof APIConnectionTimeoutError;
    const why = timedOut
      ? `did not answer within ${server.timeoutMs} ms (ENGRAPH_TIMEOUT_MS)`
      : `could not be reached: ${rootOf(error)}`;
    return new EngraphError(unavailable, `${server.url} ${why}`, { cause: error, details: { ...call.details } });
  }
  const status = error.status as number;
  const kind = kindOf(error, status, unavailable);
  const asked = kind === 'llm_rate_limited' || kind === unavailable ? waitAsked(error.headers as Headers | undefined) : undefined;
  const wish = (error.headers as Headers | undefined)?.get('x-should-retry');
  const options: FailureOptions = {
    ...(asked !== undefined && { retryAfterMs: Math.min(asked, LONGEST_WAIT_MS) }),
    ...(kind !== 'llm_quota' && (wish === 'true' || wish === 'false') && { retryable: wish === 'true' }),
    details: {
      ...call.details,
      status,
      ...(error.code && { code: error.code }),
      ...(error.requestID && { requestId: error.requestID }),
    },
  };
  const said = upstreamText(error.error, call);
  return new EngraphError(
    kind,
    `${server.url} answered ${status} for the model ${server.model}${said && `: ${said}`}${hint(kind, status)}`,
    options,
  );
}

function kindOf(error: APIError, status: number, unavailable: FailureKind): FailureKind {
  if (status === 402 || (status === 429 && (QUOTA.has(error.code ?? '') || QUOTA.has(error.type ?? '')))) return 'llm_quota';
  if (status === 401 || status === 403) return 'llm_auth';
  if (status === 429) return 'llm_rate_limited';
  if (status === 408 || status === 409 || status >= 500) return unavailable;
  return error.code === 'content_filter' ? 'llm_refused' : 'llm_rejected';
}

function hint(kind: FailureKind, status: number): string {
  if (kind === 'llm_auth') return '. Check OPENAI_API_KEY';
  if (kind === 'llm_quota') return '. The account has no quota left: raise it, or choose another server';
  return status === 404 ? '. Check OPENAI_BASE_URL (it usually ends in /v1) and the name of the model' : '';
}

/** The wait that a server asks for in `retry-after-ms` or `retry-after` (seconds or a date), in milliseconds above 0. */
function waitAsked(headers: Headers | undefined): number | undefined {
  const ms = Number(headers?.get('retry-after-ms') ?? Number.NaN);
  if (ms > 0) return Math.ceil(ms);
  const after = headers?.get('retry-after');
  if (!after) return undefined;
  const wait = Number.isNaN(Number(after)) ? Date.parse(after) - Date.now() : Number(after) * 1_000;
  return wait > 0 ? Math.ceil(wait) : undefined;
}

/** Long enough to tell a cause by; shorter than what a server would repeat of a memory by chance. */
const ECHO_CHARACTERS = 24;

/**
 * What the server says itself, at most 200 characters, without the key. Empty where it says nothing, or where it repeats a
 * piece of what was sent.
 */
export function upstreamText(error: unknown, { server, sent }: Pick<FailedCall, 'server' | 'sent'>): string {
  const said = typeof error === 'string' ? error : (error as { message?: unknown } | null | undefined)?.message;
  if (typeof said !== 'string') return '';
  const shown = said.slice(0, 200).toWellFormed().replace(/\s+/gu, ' ').trim();
  for (let at = 0; at + ECHO_CHARACTERS <= said.length && at < 200; at++) {
    const piece = said.slice(at, at + ECHO_CHARACTERS);
    if (sent.some((text) => text.includes(piece))) return '';
  }
  const withoutKey = server.apiKey === undefined ? shown : shown.replaceAll(server.apiKey, '[key]');
  return withoutKey.replace(/\bsk-[\w*-]{4,}/gu, '[key]');
}

/** The innermost cause says what happened (`ECONNREFUSED`); the outer ones say `Connection error.` and `fetch failed`. */
function rootOf(error: unknown): string {
  let root = error;
  while (root instanceof Error && root.cause !== undefined) root = root.cause;
  const first = root instanceof AggregateError ? (root.errors[0] as unknown) : root;
  return first instanceof Error ? first.message : String(first);
}
