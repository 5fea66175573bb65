import { EngraphError } from '../domain/failure.js';
import { unit } from '../domain/vector.js';
import type { Embedder } from '../ports/embedder.js';
import type { CallOptions, EmbeddingIdentity } from '../ports/vector-store.js';
import { openAiServer, within, type OpenAiEndpoint, type OpenAiServer } from './openai-endpoint.js';
import { failureOf } from './openai-failures.js';

/** Options of `OpenAiEmbedder`. */
export interface OpenAiEmbedderOptions extends OpenAiEndpoint {
  /** Numbers a vector; another answer is `embedding_dimension`. */
  readonly dimension: number;
  /** Longest text sent, in bytes of UTF-8; 8,191 by default. A token has at least one, and OpenAI's models read 8,192 tokens. */
  readonly maxBytes?: number;
}

/** Texts in one request: with 8,191 bytes each they stay under the 300,000 tokens that OpenAI takes at once. */
const BATCH = 32;

/** OpenAI's models from the third generation on give vectors of the size they are asked for. */
const SIZED = /^text-embedding-3/u;

/**
 * Embeddings of any OpenAI-compatible server, of unit length. Numbers are asked for as floats, since some servers ignore the
 * wish for base64 that the client makes by default, and its decoder then makes rubbish of them; base64 that comes all the same
 * is decoded (case O12). Answers in any order of `index` are put in order.
 */
export class OpenAiEmbedder implements Embedder {
  readonly identity: EmbeddingIdentity;
  readonly #server: OpenAiServer;
  readonly #maxBytes: number;

  /** Fails with `config` before anything is sent, where neither a server nor a key is named or the URL is none. */
  constructor(options: OpenAiEmbedderOptions) {
    this.#server = openAiServer(options);
    this.#maxBytes = options.maxBytes ?? 8_191;
    this.identity = { model: options.model, dimension: options.dimension, hash: `openai:${options.model}` };
  }

  async embed(texts: readonly string[], options: CallOptions = {}): Promise<number[][]> {
    options.signal?.throwIfAborted();
    const vectors: number[][] = [];
    for (let from = 0; from < texts.length; from += BATCH) {
      const input = texts.slice(from, from + BATCH).map((text) => sendable(text, this.#maxBytes));
      vectors.push(...(await this.#ask(input, options)));
    }
    return vectors;
  }

  async close(): Promise<void> {}

  async #ask(input: string[], options: CallOptions): Promise<number[][]> {
    const { client, model, timeoutMs } = this.#server;
    const dimensions = SIZED.test(model) ? { dimensions: this.identity.dimension } : {};
    let answer: unknown;
    try {
      answer = await within(timeoutMs, options, (signal) =>
        client.embeddings.create({ model, input, encoding_format: 'float', ...dimensions }, { signal }),
      );
    } catch (error) {
      options.signal?.throwIfAborted();
      throw failureOf(error, { server: this.#server, unavailable: 'embedding_unavailable', sent: input });
    }
    return this.#inOrder(answer, input.length);
  }

  #inOrder(answer: unknown, count: number): number[][] {
    const data = (answer as { data?: unknown } | undefined)?.data;
    const vectors: (number[] | undefined)[] = new Array<undefined>(count).fill(undefined);
    for (const item of Array.isArray(data) ? (data as { index?: unknown; embedding?: unknown }[]) : []) {
      if (typeof item.index === 'number' && item.index in vectors) vectors[item.index] = this.#vector(item.embedding);
    }
    const found = vectors.filter((vector) => vector !== undefined);
    if (found.length !== count) throw this.#unusable(`gave ${found.length} vectors for ${count} texts`);
    return found;
  }

  #vector(embedding: unknown): number[] {
    const numbers = typeof embedding === 'string' ? decoded(embedding) : (embedding as number[]);
    if (!Array.isArray(numbers) || numbers.some((value) => !Number.isFinite(value)) || numbers.every((value) => value === 0)) {
      throw this.#unusable('gave a vector that is none: no finite numbers, or zeros only');
    }
    const { model, dimension } = this.identity;
    if (numbers.length !== dimension) {
      throw new EngraphError(
        'embedding_dimension',
        `${model} at ${this.#server.url} gives vectors of ${numbers.length} numbers, and ${dimension} were expected: set ENGRAPH_EMBEDDING_DIMENSION to ${numbers.length}, or choose another model`,
        { details: { expected: dimension, given: numbers.length } },
      );
    }
    return unit(numbers);
  }

  #unusable(why: string): EngraphError {
    return new EngraphError('embedding_unavailable', `${this.identity.model} at ${this.#server.url} ${why}`);
  }
}

/** Servers refuse an empty text, and a request with half a surrogate pair in it (case O14). */
function sendable(text: string, maxBytes: number): string {
  const wellFormed = text.toWellFormed();
  if (wellFormed.trim() === '') return ' ';
  const bytes = Buffer.from(wellFormed);
  if (bytes.length <= maxBytes) return wellFormed;
  let end = maxBytes;
  while (((bytes[end] as number) & 0xc0) === 0x80) end -= 1; // not inside a character
  return bytes.toString('utf8', 0, end);
}

/** Little-endian floats of 32 bits. */
function decoded(base64: string): number[] {
  const bytes = Buffer.from(base64, 'base64');
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, at) => bytes.readFloatLE(at * 4));
}
