import OpenAI from 'openai';

import { EngraphError } from '../domain/failure.js';
import type { CallOptions } from '../ports/vector-store.js';

/** OpenAI's own, asked only where a key was given and no server named. */
const OFFICIAL = 'https://api.openai.com/v1';

/** Where an OpenAI-compatible server is, and what it is to answer with. */
export interface OpenAiEndpoint {
  /** As far as `/v1`, with or without a slash at its end. Left out it means OpenAI's own, for which there must be a key. */
  readonly baseUrl?: string;
  /** May be missing or empty with a server of one's own: no key is sent then. */
  readonly apiKey?: string;
  readonly model: string;
  /** Longest time from sending a request to the last byte of its answer, in milliseconds; 120,000 by default. */
  readonly timeoutMs?: number;
}

/** An endpoint checked, and a client for it that never tries again by itself: Temporal does, and waiting twice multiplies. */
export interface OpenAiServer {
  readonly client: OpenAI;
  /** Without a slash at its end. */
  readonly url: string;
  readonly apiKey: string | undefined;
  readonly model: string;
  readonly timeoutMs: number;
}

/** Fails with `config` before anything is sent: no server and no key, or a base URL that is none (case O10). */
export function openAiServer({ baseUrl, apiKey, model, timeoutMs = 120_000 }: OpenAiEndpoint): OpenAiServer {
  const key = apiKey === undefined || apiKey.trim() === '' ? undefined : apiKey;
  if (!baseUrl && key === undefined) {
    throw new EngraphError(
      'config',
      'there is neither a server nor an API key: set OPENAI_BASE_URL to an OpenAI-compatible server (it needs no key), or OPENAI_API_KEY to use the OpenAI API',
      { details: { settings: ['OPENAI_BASE_URL', 'OPENAI_API_KEY'] } },
    );
  }
  const url = checkUrl(baseUrl || OFFICIAL);
  const client = new OpenAI({
    baseURL: url,
    // The client won't be made without a key; the header that would carry this one is taken out.
    apiKey: key ?? 'none',
    ...(key === undefined && { defaultHeaders: { Authorization: null } }),
    maxRetries: 0,
    timeout: timeoutMs,
    // Left out, these are read from the environment, which only src/config.ts reads; logs could show prompts.
    organization: null,
    project: null,
    adminAPIKey: null,
    webhookSecret: null,
    logLevel: 'off',
  });
  return { client, url, apiKey: key, model, timeoutMs };
}

function checkUrl(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url === undefined || !/^https?:$/u.test(url.protocol) || url.username !== '' || url.password !== '') {
    const shown = url === undefined ? JSON.stringify(baseUrl.slice(0, 80)) : `${url.protocol}//${url.host}${url.pathname}`;
    throw new EngraphError(
      'config',
      `OPENAI_BASE_URL ${shown} cannot be used: it must be an http or https URL without a user name, such as http://127.0.0.1:8080/v1`,
    );
  }
  return baseUrl.replace(/\/+$/u, '');
}

/** What a request ended with when its time was over, as `send` may reject with anything then. */
export class TimedOut extends Error {}

/**
 * Sends one request. Rejects with the caller's own reason when the caller aborts, and with `TimedOut` after the server's
 * time-out; the client's own covers only the time until the headers are there.
 */
export async function within<T>(
  timeoutMs: number,
  { signal }: CallOptions,
  send: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const late = new AbortController();
  const clock = setTimeout(() => late.abort(), timeoutMs);
  try {
    return await send(signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]));
  } catch (error) {
    signal?.throwIfAborted();
    throw late.signal.aborted ? new TimedOut(`no answer within ${timeoutMs} ms`, { cause: error }) : error;
  } finally {
    clearTimeout(clock);
  }
}
