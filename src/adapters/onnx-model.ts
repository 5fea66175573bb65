import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

import { EngraphError } from '../domain/failure.js';
import { abortable } from './abortable.js';
import { RunGate } from './onnx-gate.js';
import type { Attention, Head } from './onnx-session.js';
import type { Answer, FromThread, Question, ThreadData, ToThread } from './onnx-thread.js';

const FILES = ['model.onnx', 'tokenizer.json'] as const;

/** A run of 16 texts of 256 pieces takes 1 to 3 s on one busy core; the process waits for one at most when it exits. */
const LONGEST_CALL_MS = 10_000;

/** A model's folder, and what to say where it is of no use. */
export interface ModelFolder {
  /** Absolute. */
  readonly modelDir: string;
  /** Threads of one run. The first to open a folder decides. */
  readonly threads: number;
  /** What the model does, as a user is told it: `embedding`. */
  readonly purpose: string;
  /** The model that the folder must hold. */
  readonly model: string;
  /** What a user does about it: the setting, and what to set it to. */
  readonly wayOut: string;
}

let loads = 0;

/** How often this process loaded a model: once a folder, however many embedders were opened (case O13). */
export const modelLoads = (): number => loads;

/** One a process and folder, for as long as the process lives: making and releasing sessions keeps memory (case O13). */
const running = new Map<string, Promise<OnnxModel>>();

interface Waiting {
  readonly done: (answer: Answer) => void;
  readonly failed: (error: unknown) => void;
}

/** An ONNX model in a thread of its own: our side of the thread. */
export class OnnxModel {
  /** SHA-256 of model.onnx, in hex. */
  readonly hash: string;
  /** Width of the model's first output. */
  readonly dimension: number;
  readonly #worker: Worker;
  readonly #purpose: string;
  readonly #waiting = new Map<number, Waiting>();
  #requests = 0;

  private constructor(worker: Worker, purpose: string, { hash, dimension }: { hash: string; dimension: number }) {
    this.#worker = worker;
    this.#purpose = purpose;
    this.hash = hash;
    this.dimension = dimension;
  }

  /**
   * The model of the folder: loaded now, or the one that this process has already loaded. A thread that ended is started anew.
   * Fails with `config` where the folder lacks a file or the file is no model.
   */
  static async of(folder: ModelFolder): Promise<OnnxModel> {
    const { modelDir } = folder;
    const known = running.get(modelDir);
    if (known) return await known;
    const forget = (): boolean => running.delete(modelDir);
    const started = OnnxModel.#start(folder, forget);
    running.set(modelDir, started);
    started.catch(forget);
    return await started;
  }

  static async #start(folder: ModelFolder, ended: () => void): Promise<OnnxModel> {
    const { modelDir, threads, purpose } = folder;
    const missing = FILES.filter((file) => !existsSync(join(modelDir, file)));
    if (missing.length > 0) throw unusable(folder, `it has no ${missing.join(' and no ')}`);
    loads += 1;
    const gate = new RunGate();
    const worker = new Worker(threadEntry(), {
      workerData: { modelDir, threads, gate: gate.memory } satisfies ThreadData,
      execArgv: [], // the program's own may not fit a thread: --input-type of `node -e` refuses a file
    });
    process.once('exit', () => gate.close(LONGEST_CALL_MS));
    const first = await new Promise<FromThread>((done, failed) => {
      worker.once('message', done);
      worker.once('error', failed);
      worker.once('exit', (code) => failed(new Error(`the model's thread ended with code ${code} before it was ready`)));
    }).catch((error: unknown) => {
      throw unusable(folder, 'its model could not be loaded', error);
    });
    if ('unusable' in first) throw unusable(folder, `its model could not be loaded: ${first.unusable}`);
    if (!('ready' in first)) throw new Error('the thread answered before it was asked');
    const model = new OnnxModel(worker, purpose, first.ready);
    model.#listen(ended);
    return model;
  }

  #listen(ended: () => void): void {
    let over = false;
    const fail = (cause: unknown): void => {
      if (over) return; // an exit follows each error, when another thread may already run in this one's place
      over = true;
      ended();
      const message = `the ${this.#purpose} thread ended; the next call starts it again`;
      const error = new EngraphError('embedding_unavailable', message, { cause });
      for (const { failed } of this.#waiting.values()) failed(error);
      this.#waiting.clear();
    };
    this.#worker.on('error', fail);
    this.#worker.on('exit', (code) => fail(new Error(`exit code ${code}`)));
    this.#worker.on('message', (said: FromThread) => {
      if (!('id' in said)) return;
      const waiting = this.#waiting.get(said.id);
      if ('failed' in said)
        waiting?.failed(new EngraphError('embedding_unavailable', `the ${this.#purpose} model failed: ${said.failed}`));
      else waiting?.done(said);
    });
    this.#worker.unref();
  }

  /** One mean of token vectors a text, one after the other, not yet of unit length; texts are cut at 256 word pieces. */
  async means(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array> {
    const answer = await this.#ask({ texts }, signal);
    if (!('means' in answer)) throw new Error('the thread answered another question');
    return answer.means;
  }

  /** Vocabulary ids of each word's pieces, without [CLS] and [SEP]; none for what the tokenizer drops. */
  async pieces(words: readonly string[], signal?: AbortSignal): Promise<readonly (readonly number[])[]> {
    const answer = await this.#ask({ words }, signal);
    if (!('pieces' in answer)) throw new Error('the thread answered another question');
    return answer.pieces;
  }

  /** One pass a row of pieces, of 254 at most. */
  async attend(
    rows: readonly (readonly number[])[],
    heads: readonly Head[],
    signal?: AbortSignal,
  ): Promise<readonly Attention[]> {
    const answer = await this.#ask({ rows, heads }, signal);
    if (!('attention' in answer)) throw new Error('the thread answered another question');
    return answer.attention;
  }

  /** The first output of one pass a row of pieces: `dimension` numbers a piece, one piece after the other. */
  async outputs(rows: readonly (readonly number[])[], signal?: AbortSignal): Promise<readonly Float32Array[]> {
    const answer = await this.#ask({ outputsOf: rows }, signal);
    if (!('outputs' in answer)) throw new Error('the thread answered another question');
    return answer.outputs;
  }

  #ask(question: Question, signal: AbortSignal | undefined): Promise<Answer> {
    const id = ++this.#requests;
    this.#worker.ref();
    this.#worker.postMessage({ id, ...question } satisfies ToThread);
    const answer = new Promise<Answer>((done, failed) => this.#waiting.set(id, { done, failed }));
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

/** A `config` failure that names the folder, what is wrong with it, and the way out. */
export function unusable({ modelDir, purpose, model, wayOut }: ModelFolder, why: string, cause?: unknown): EngraphError {
  return new EngraphError(
    'config',
    `the ${purpose} model folder ${modelDir} cannot be used: ${why}. It must hold ${FILES.join(' and ')} of ${model}; ${wayOut}`,
    { cause, details: { modelDir } },
  );
}
