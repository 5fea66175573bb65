import type { Writable } from 'node:stream';

import { EngraphError } from '../domain/failure.js';

/** Where a command writes; the process's own streams, or a test's. */
export interface Streams {
  readonly stdout: Writable;
  readonly stderr: Writable & { readonly isTTY?: boolean };
}

/**
 * What a command says: results on stdout, as text or with `--json` as one JSON object a line; notes and progress on stderr,
 * so that a result can be piped.
 */
export class Output {
  readonly json: boolean;
  readonly streams: Streams;

  constructor(json: boolean, streams: Streams) {
    this.json = json;
    this.streams = streams;
  }

  /** A result, once as data and once in words. */
  result(value: object, words: () => string): void {
    this.#write(this.json ? JSON.stringify(value) : words());
  }

  /** A line of stdout as it is: for what is JSON Lines or a bare value anyway. */
  line(text: string): void {
    this.#write(text);
  }

  /** A line for a person. */
  note(text: string): void {
    this.streams.stderr.write(`${text}\n`);
  }

  /** A failure: `error (kind): message`, or `{ "error": … }` with `--json`. */
  failure(error: unknown, { debug }: { debug: boolean }): void {
    const kind = error instanceof EngraphError ? error.kind : 'internal';
    const message = error instanceof Error ? error.message : String(error);
    const retryable = error instanceof EngraphError && error.retryable;
    if (this.json) this.#write(JSON.stringify({ error: { kind, message, retryable } }));
    else this.note(`error (${kind}): ${message}${kind === 'internal' && !debug ? ' (--debug shows where)' : ''}`);
    if (debug) this.note(traceOf(error));
  }

  #write(text: string): void {
    this.streams.stdout.write(`${text}\n`);
  }
}

function traceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return [error.stack ?? error.message, ...(error.cause === undefined ? [] : [`caused by ${traceOf(error.cause)}`])].join('\n');
}
