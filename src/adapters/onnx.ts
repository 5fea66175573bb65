import { unit } from '../domain/vector.js';
import type { Embedder } from '../ports/embedder.js';
import type { CallOptions, EmbeddingIdentity } from '../ports/vector-store.js';
import { abortable } from './abortable.js';
import { DIMENSION, MODEL, miniLmFolder, openMiniLm } from './minilm-folder.js';
import type { ModelFolder } from './onnx-model.js';

export { modelLoads } from './onnx-model.js';

/** What `OnnxEmbedder.open` may be told. */
export interface OnnxOptions extends CallOptions {
  /** Threads of one run; 1 by default, since on a busy machine two were slower than one. The first to open a folder decides. */
  readonly threads?: number;
}

/**
 * all-MiniLM-L6-v2 from a folder with `model.onnx` and `tokenizer.json`: texts cut at 256 word pieces, mean pooling, unit
 * vectors of 384 numbers. It computes in a thread of its own, since a run of ONNX Runtime holds the thread it is called from.
 */
export class OnnxEmbedder implements Embedder {
  readonly identity: EmbeddingIdentity;
  readonly #folder: ModelFolder;

  private constructor(folder: ModelFolder, hash: string) {
    this.#folder = folder;
    this.identity = { model: MODEL, dimension: DIMENSION, hash };
  }

  /**
   * Loads the model, or joins the one this process has already loaded from the folder. Fails with `config` where the folder
   * lacks a file or holds another model.
   */
  static async open(modelDir: string, { threads = 1, signal }: OnnxOptions = {}): Promise<OnnxEmbedder> {
    const folder = miniLmFolder(modelDir, threads);
    const { hash } = await abortable(openMiniLm(folder), signal);
    return new OnnxEmbedder(folder, hash);
  }

  async embed(texts: readonly string[], { signal }: CallOptions = {}): Promise<number[][]> {
    signal?.throwIfAborted();
    if (texts.length === 0) return [];
    const model = await openMiniLm(this.#folder);
    const wellFormed = texts.map((text) => text.toWellFormed());
    const means = await model.means(wellFormed, signal);
    return texts.map((_, at) => unit(means.subarray(at * DIMENSION, (at + 1) * DIMENSION)));
  }

  /** Nothing to do: the model belongs to the process, and its thread doesn't keep the process alive. */
  async close(): Promise<void> {}
}
