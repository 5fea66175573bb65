import type { Embedder } from '../ports/embedder.js';
import type { CallOptions, EmbeddingIdentity } from '../ports/vector-store.js';

/** Vectors kept; of 384 numbers each they take about 3 MB. */
const MOST = 1_000;

/** Longer texts are documents, which are embedded once; queries come again in each step and round. */
const LONGEST_CHARACTERS = 2_000;

/** An embedder that remembers the latest short texts: a step's query is embedded once, whatever it is compared with. */
export class EmbeddingCache implements Embedder {
  readonly #embedder: Embedder;
  readonly #vectors = new Map<string, number[]>();

  constructor(embedder: Embedder) {
    this.#embedder = embedder;
  }

  get identity(): EmbeddingIdentity {
    return this.#embedder.identity;
  }

  async embed(texts: readonly string[], options: CallOptions = {}): Promise<number[][]> {
    const missing = [...new Set(texts.filter((text) => !this.#vectors.has(text)))];
    const made = missing.length === 0 ? [] : await this.#embedder.embed(missing, options);
    const fresh = new Map(missing.map((text, at) => [text, made[at] ?? []]));
    const vectors = texts.map((text) => fresh.get(text) ?? this.#vectors.get(text) ?? []);
    texts.forEach((text, at) => this.#remember(text, vectors[at] ?? []));
    return vectors;
  }

  async close(): Promise<void> {
    await this.#embedder.close();
  }

  #remember(text: string, vector: number[]): void {
    if (text.length > LONGEST_CHARACTERS) return;
    this.#vectors.delete(text);
    this.#vectors.set(text, vector);
    const oldest = this.#vectors.keys().next();
    if (this.#vectors.size > MOST && !oldest.done) this.#vectors.delete(oldest.value);
  }
}
