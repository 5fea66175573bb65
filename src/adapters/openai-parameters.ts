import { APIError } from 'openai';

import type { CallOptions } from '../ports/vector-store.js';
import { abortable } from './abortable.js';

/** How a server is told the reply's form. */
export type ReplyFormat = 'json_schema' | 'json_object' | 'none';

/** The parameters that servers differ in. */
export interface Parameters {
  readonly limit: 'max_tokens' | 'max_completion_tokens';
  /** Whether `temperature: 0` is sent. */
  readonly temperature: boolean;
  readonly format: ReplyFormat;
}

const LOWER: Readonly<Record<ReplyFormat, ReplyFormat | undefined>> = {
  json_schema: 'json_object',
  json_object: 'none',
  none: undefined,
};

const REFUSAL =
  /unsupported|not support|n't support|unrecognized|unknown|unexpected|not permitted|not allowed|unavailable|invalid schema|parse grammar/iu;

const known = new Map<string, LearnedParameters>();

/**
 * What one model at one server takes, learned once a process from what it refuses (case O09): each parameter is given up once,
 * `max_tokens` for `max_completion_tokens` or the other way round, the temperature, a schema for plain JSON and that for
 * nothing. The first request goes alone until one was accepted, so that many at once don't all learn the same.
 */
export class LearnedParameters {
  #current: Parameters;
  #limitLearned = false;
  #accepted = false;
  #first: Promise<void> | undefined;

  private constructor(start: Parameters) {
    this.#current = start;
  }

  /** The process's one for this server and model; `start` counts only the first time. */
  static of(server: string, model: string, start: Parameters): LearnedParameters {
    const key = `${server}\n${model}\n${start.format}`;
    const learned = known.get(key) ?? new LearnedParameters(start);
    known.set(key, learned);
    return learned;
  }

  get current(): Parameters {
    return this.#current;
  }

  /** Says that the server took the parameters of a request. */
  accept(): void {
    this.#accepted = true;
  }

  /** Runs the request at once where one was accepted before, else after those that came before it. */
  async run<T>({ signal }: CallOptions, request: () => Promise<T>): Promise<T> {
    while (!this.#accepted && this.#first !== undefined) await abortable(this.#first, signal);
    if (this.#accepted) return await request();
    const running = request();
    const over = running.then(
      () => {},
      () => {},
    );
    this.#first = over;
    try {
      return await running;
    } finally {
      if (this.#first === over) this.#first = undefined;
    }
  }

  /** Whether the error refuses a parameter that is sent otherwise from now on: the same request is then sent again. */
  learn(error: unknown, sent: Parameters): boolean {
    const refused = refusedParameter(error);
    if (refused === undefined) return false;
    if (sent[refused] !== this.#current[refused]) return true; // another request has learned it meanwhile
    const next = this.#instead(refused);
    if (next === undefined) return false;
    this.#current = next;
    return true;
  }

  #instead(refused: keyof Parameters): Parameters | undefined {
    const current = this.#current;
    if (refused === 'temperature') return current.temperature ? { ...current, temperature: false } : undefined;
    if (refused === 'format') {
      const format = LOWER[current.format];
      return format && { ...current, format };
    }
    if (this.#limitLearned) return undefined;
    this.#limitLearned = true;
    return { ...current, limit: current.limit === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens' };
  }
}

function refusedParameter(error: unknown): keyof Parameters | undefined {
  if (!(error instanceof APIError) || (error.status !== 400 && error.status !== 422)) return undefined;
  const refuses = error.code === 'unsupported_parameter' || error.code === 'unsupported_value' || REFUSAL.test(error.message);
  if (!refuses) return undefined;
  // A message may name other parameters too ("use max_completion_tokens"), so the server's own word for it goes first.
  const about = error.param || error.message;
  if (/max_(?:completion_)?tokens/u.test(about)) return 'limit';
  if (/temperature/u.test(about)) return 'temperature';
  return /response_format|json_schema|json_object|structured|schema|grammar/iu.test(about) ? 'format' : undefined;
}
