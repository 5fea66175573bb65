import { QdrantClient } from '@qdrant/js-client-rest';
import { Agent, type Dispatcher } from 'undici';

import { EngraphError } from '../domain/failure.js';
import { qdrantAddress, type QdrantAddress } from './qdrant-address.js';
import { failureOf, TimedOut, type Seen } from './qdrant-failure.js';

/** A Qdrant server and how to speak to it. */
export interface QdrantServer {
  /** http or https, with a proxy's path where there is one. */
  readonly url: string;
  readonly apiKey?: string;
  /** Longest time from sending a request to the last byte of its answer, in milliseconds; 10,000 by default. */
  readonly timeoutMs?: number;
  /** Is told once an address that a key goes there in the clear; by default a warning of the process. */
  readonly warn?: (message: string) => void;
}

/** The client's calls, one function an operation of Qdrant's OpenAPI document. */
export type QdrantApi = ReturnType<QdrantClient['api']>;

const DEFAULT_TIMEOUT_MS = 10_000;
const warned = new Set<string>();

/**
 * Qdrant's client with what goes wrong in it put right (facts/vector-stores.md 6): answers uncompressed, which saves 45 ms
 * each; a time-out in milliseconds that covers the whole answer, and the caller's signal beside it; failures of our kinds, the
 * wait asked for read whole; a proxy's path kept; no call that nobody asked for. It never tries again: Temporal does.
 */
export class QdrantRest {
  readonly address: QdrantAddress;
  readonly #api: QdrantApi;
  readonly #agent = new Agent({ bodyTimeout: 0, headersTimeout: 0, connections: 32, keepAliveTimeout: 10_000 });
  readonly #timeoutMs: number;

  constructor({ url, apiKey, timeoutMs = DEFAULT_TIMEOUT_MS, warn = (message) => process.emitWarning(message) }: QdrantServer) {
    this.address = qdrantAddress(url);
    this.#timeoutMs = timeoutMs;
    const { origin, port, prefix, isLoopback, shown } = this.address;
    if (apiKey !== undefined && !isLoopback && origin.startsWith('http:') && !warned.has(origin)) {
      warned.add(origin);
      warn(`QDRANT_API_KEY goes to ${shown} unencrypted: use https`);
    }
    // A key given as such would make the client warn on every start, also where the server is this machine.
    const headers = { 'accept-encoding': 'identity', ...(apiKey !== undefined && { 'api-key': apiKey }) };
    const client = new QdrantClient({ url: origin, port, prefix, headers, timeout: Infinity, checkCompatibility: false });
    this.#api = client.api();
  }

  /** The result of one call. Rejects with the signal's reason when it aborts, else with an `EngraphError`. */
  async ask<T>(
    call: (api: QdrantApi, init: RequestInit) => Promise<{ readonly data: { readonly result?: T } }>,
    signal?: AbortSignal,
  ): Promise<T> {
    const { result } = await this.raw(call, signal);
    if (result === undefined) {
      throw new EngraphError('config', `${this.address.shown} answers, but not as Qdrant does: check QDRANT_URL`, {
        details: { setting: 'QDRANT_URL' },
      });
    }
    return result;
  }

  /** The same for a call whose answer has no `result`. */
  async raw<T>(call: (api: QdrantApi, init: RequestInit) => Promise<{ readonly data: T }>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    const seen: Seen = {};
    const late = new AbortController();
    const clock = setTimeout(() => late.abort(), this.#timeoutMs);
    const ends = signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]);
    try {
      const dispatcher = this.#agent.compose(noting(seen));
      // Node's own types of fetch know no agent but the one that Node brings.
      return (await call(this.#api, { signal: ends, dispatcher } as unknown as RequestInit)).data;
    } catch (error) {
      signal?.throwIfAborted();
      const what = late.signal.aborted
        ? new TimedOut(`did not answer within ${this.#timeoutMs} ms (ENGRAPH_STORE_TIMEOUT_MS)`, { cause: error })
        : error;
      throw failureOf(what, this.address.shown, seen);
    } finally {
      clearTimeout(clock);
    }
  }

  async close(): Promise<void> {
    await this.#agent.close();
  }
}

/** Keeps the status and the `retry-after` of an answer, which the client's errors have not. */
function noting(seen: Seen): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => {
    const noted = Object.create(handler) as Dispatcher.DispatchHandlers;
    noted.onHeaders = function (this: Dispatcher.DispatchHandlers, status, headers, resume, statusText) {
      seen.status = status;
      for (let at = 0; at + 1 < headers.length; at += 2)
        if (String(headers[at]).toLowerCase() === 'retry-after') seen.retryAfter = String(headers[at + 1]);
      return handler.onHeaders?.call(this, status, headers, resume, statusText) ?? true;
    };
    return dispatch(options, noted);
  };
}
