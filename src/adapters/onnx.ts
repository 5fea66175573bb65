import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';

import { EngraphError } from '../domain/failure.js';
import { unit } from '../domain/vector.js';
import type { Embedder } from '../ports/embedder.js';
import type { CallOptions, EmbeddingIdentity } from '../ports/vector-store.js';
import { abortable } from './abortable.js';
import { RunGate } from './onnx-gate.js';
import type { FromThread, ThreadData, ToThread } from './onnx-thread.js';

const MODEL = 'all-MiniLM-L6-v2';
const DIMENSION = 384;
const FILES = ['model.onnx', 'tokenizer.json'] as const;

/** A run of 16 texts of 256 pieces takes 1 to 3 s on one busy core; the process waits for one at most when it exits. */
const LONGEST_CALL_MS = 10_000;

/** What `OnnxEmbedder.open` may be told. */
export interface OnnxOptions extends CallOptions {
  /** Threads of one run; 1 by default, since on a busy machine two were slower than one. The first to open a folder decides. */
  readonly threads?: number;
}

let loads = 0;

/** How often this process loaded a model: once a folder, however many embedders were opened (case O13). */
export const modelLoads = (): number => loads;

/** One a process and folder, for as long as the process lives: making and releasing sessions keeps memory (case O13). */
const running = new Map<string, Promise<ModelThread>>();

/**
 * all-MiniLM-L6-v2 from a folder with `model.onnx` and `tokenizer.json`: texts cut at 256 word pieces, mean pooling, unit
 * vectors of 384 numbers. It computes in a thread of its own, since a run of ONNX Runtime holds the thread it is called from.
 */
export class OnnxEmbedder implements Embedder {
  readonly identity: EmbeddingIdentity;
  readonly #modelDir: string;
  readonly #threads: number;

  private constructor(modelDir: string, threads: number, hash: string) {
    this.#modelDir = modelDir;
    this.#threads = threads;
    this.identity = { model: MODEL, dimension: DIMENSION, hash };
  }

  /**
   * Loads the model, or joins the one this process has already loaded from the folder. Fails with `config` where the folder
   * lacks a file or holds another model.
   */
  static async open(modelDir: string, { threads = 1, signal }: OnnxOptions = {}): Promise<OnnxEmbedder> {
    const folder = resolve(modelDir);
    const thread = await abortable(threadOf(folder, threads), signal);
    return new OnnxEmbedder(folder, threads, thread.hash);
  }

  async embed(texts: readonly string[], { signal }: CallOptions = {}): Promise<number[][]> {
    signal?.throwIfAborted();
    if (texts.length === 0) return [];
    const thread = await threadOf(this.#modelDir, this.#threads);
    const means = await thread.means(
      texts.map((text) => text.toWellFormed()),
      signal,
    );
    return texts.map((_, at) => unit(means.subarray(at * DIMENSION, (at + 1) * DIMENSION)));
  }

  /** Nothing to do: the model belongs to the process, and its thread doesn't keep the process alive. */
  async close(): Promise<void> {}
}

function threadOf(modelDir: string, threads: number): Promise<ModelThread> {
  const known = running.get(modelDir);
  if (known) return known;
  const forget = (): boolean => running.delete(modelDir);
  const started = ModelThread.start({ modelDir, threads }, forget);
  running.set(modelDir, started);
  started.catch(forget);
  return started;
}

interface Waiting {
  readonly done: (means: Float32Array) => void;
  readonly failed: (error: unknown) => void;
}

/** Our side of the thread. */
class ModelThread {
  readonly hash: string;
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #requests = 0;

  private constructor(worker: Worker, hash: string) {
    this.#worker = worker;
    this.hash = hash;
  }

  static async start(options: Omit<ThreadData, 'gate'>, ended: () => void): Promise<ModelThread> {
    const { modelDir } = options;
    const missing = FILES.filter((file) => !existsSync(join(modelDir, file)));
    if (missing.length > 0) throw unusable(modelDir, `it has no ${missing.join(' and no ')}`);
    loads += 1;
    const gate = new RunGate();
    const worker = new Worker(threadEntry(), {
      workerData: { ...options, gate: gate.memory } satisfies ThreadData,
      execArgv: [], // the program's own may not fit a thread: --input-type of `node -e` refuses a file
    });
    process.once('exit', () => gate.close(LONGEST_CALL_MS));
    const first = await new Promise<FromThread>((done, failed) => {
      worker.once('message', done);
      worker.once('error', failed);
      worker.once('exit', (code) => failed(new Error(`the model's thread ended with code ${code} before it was ready`)));
    }).catch((error: unknown) => {
      throw unusable(modelDir, 'its model could not be loaded', error);
    });
    if ('unusable' in first) throw unusable(modelDir, `its model could not be loaded: ${first.unusable}`);
    if (!('ready' in first)) throw new Error('the thread answered before it was asked');
    if (first.ready.dimension !== DIMENSION) {
      void worker.terminate();
      throw unusable(modelDir, `its model gives ${first.ready.dimension} numbers a text where ${MODEL} gives ${DIMENSION}`);
    }
    const thread = new ModelThread(worker, first.ready.hash);
    thread.#listen(ended);
    return thread;
  }

  #listen(ended: () => void): void {
    let over = false;
    const fail = (cause: unknown): void => {
      if (over) return; // an exit follows each error, when another thread may already run in this one's place
      over = true;
      ended();
      const error = new EngraphError('embedding_unavailable', 'the embedding thread ended; the next call starts it again', {
        cause,
      });
      for (const { failed } of this.#waiting.values()) failed(error);
      this.#waiting.clear();
    };
    this.#worker.on('error', fail);
    this.#worker.on('exit', (code) => fail(new Error(`exit code ${code}`)));
    this.#worker.on('message', (answer: FromThread) => {
      if (!('id' in answer)) return;
      const waiting = this.#waiting.get(answer.id);
      if ('means' in answer) waiting?.done(answer.means);
      else waiting?.failed(new EngraphError('embedding_unavailable', `the embedding model failed: ${answer.failed}`));
    });
    this.#worker.unref();
  }

  means(texts: readonly string[], signal: AbortSignal | undefined): Promise<Float32Array> {
    const id = ++this.#requests;
    this.#worker.ref();
    this.#worker.postMessage({ id, texts } satisfies ToThread);
    const answer = new Promise<Float32Array>((done, failed) => this.#waiting.set(id, { done, failed }));
    return abortable(answer, signal).finally(() => {
      if (signal?.aborted) this.#worker.postMessage({ id, abort: true } satisfies ToThread);
      this.#waiting.delete(id);
      if (this.#waiting.size === 0) this.#worker.unref();
    });
  }
}

/** The thread's file, which is another one where this runs from source. */
const threadEntry = (): URL =>
  new URL(import.meta.url.endsWith('.ts') ? './onnx-thread-from-source.mjs' : './onnx-thread.js', import.meta.url);

function unusable(modelDir: string, why: string, cause?: unknown): EngraphError {
  return new EngraphError(
    'config',
    `the embedding model folder ${modelDir} cannot be used: ${why}. It must hold ${FILES.join(' and ')} of ${MODEL}; set ENGRAPH_MODEL_DIR to a folder that does, or unset it to have them fetched`,
    { cause, details: { modelDir } },
  );
}
