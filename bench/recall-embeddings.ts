import { createHash } from 'node:crypto';
import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { hashOf } from '../src/domain/id.js';
import type { Embedder } from '../src/ports/embedder.js';
import type { CallOptions, EmbeddingIdentity } from '../src/ports/vector-store.js';

/** Texts embedded between two writes to the file. */
const BATCH = 64;

/**
 * An embedder that keeps every vector in a file of the cache, by the hashes of model and text, since a data set is embedded
 * again in each run of a bench. A line that a kill cut short is made again.
 */
export class EmbeddingFile implements Embedder {
  readonly #embedder: Embedder;
  readonly #file: string;
  readonly #vectors: Map<string, number[]>;

  private constructor(embedder: Embedder, file: string, vectors: Map<string, number[]>) {
    this.#embedder = embedder;
    this.#file = file;
    this.#vectors = vectors;
  }

  static async open(embedder: Embedder, folder: string): Promise<EmbeddingFile> {
    await mkdir(folder, { recursive: true });
    const { model, hash, dimension } = embedder.identity;
    const name = createHash('sha256').update(`${model} ${hash} ${dimension}`).digest('hex').slice(0, 16);
    const file = join(folder, `embeddings-${name}.txt`);
    const vectors = new Map<string, number[]>();
    for (const line of (await readOrNothing(file)).split('\n')) {
      const [key = '', base64 = ''] = line.split(' ');
      const bytes = Buffer.from(base64, 'base64');
      if (bytes.length === dimension * 4) vectors.set(key, Array.from(new Float32Array(Uint8Array.from(bytes).buffer)));
    }
    return new EmbeddingFile(embedder, file, vectors);
  }

  get identity(): EmbeddingIdentity {
    return this.#embedder.identity;
  }

  async embed(texts: readonly string[], options: CallOptions = {}): Promise<number[][]> {
    const missing = [...new Set(texts)].filter((text) => !this.#vectors.has(hashOf(text)));
    for (let from = 0; from < missing.length; from += BATCH) {
      const some = missing.slice(from, from + BATCH);
      const made = await this.#embedder.embed(some, options);
      const lines = some.map((text, at) => {
        const vector = Float32Array.from(made[at] ?? []);
        this.#vectors.set(hashOf(text), Array.from(vector));
        return `${hashOf(text)} ${Buffer.from(vector.buffer).toString('base64')}\n`;
      });
      await appendFile(this.#file, `\n${lines.join('')}`);
    }
    return texts.map((text) => this.#vectors.get(hashOf(text)) ?? []);
  }

  async close(): Promise<void> {
    await this.#embedder.close();
  }
}

async function readOrNothing(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
