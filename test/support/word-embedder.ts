import { hashOf } from '../../src/domain/id.js';
import { unit } from '../../src/domain/vector.js';
import type { Embedder } from '../../src/ports/embedder.js';
import type { EmbeddingIdentity } from '../../src/ports/vector-store.js';

/** Texts that share words have near vectors: enough meaning for tests, in no time and without a model. */
export class WordEmbedder implements Embedder {
  readonly identity: EmbeddingIdentity = { model: 'words', dimension: 64, hash: 'words-1' };
  readonly texts: string[] = [];

  embed(texts: readonly string[]): Promise<number[][]> {
    this.texts.push(...texts);
    return Promise.resolve(texts.map((text) => this.#vector(text)));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #vector(text: string): number[] {
    const vector = Array.from({ length: this.identity.dimension }, () => 0.001);
    for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
      const hash = hashOf(word);
      for (const at of [0, 8]) {
        const place = Number.parseInt(hash.slice(at, at + 6), 16) % vector.length;
        vector[place] = (vector[place] ?? 0) + 1;
      }
    }
    return unit(vector);
  }
}
