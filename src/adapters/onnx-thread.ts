import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';

import { Tokenizer } from '@huggingface/tokenizers';
import { InferenceSession, Tensor } from 'onnxruntime-node';

import { RunGate } from './onnx-gate.js';

/** What the thread is started with. */
export interface ThreadData {
  readonly modelDir: string;
  readonly threads: number;
  /** Of the `RunGate` that every native call passes. */
  readonly gate: SharedArrayBuffer;
}

export type ToThread = { readonly id: number; readonly texts: readonly string[] } | { readonly id: number; readonly abort: true };

/** `means` holds one mean of token vectors a text, one after the other, not yet of unit length. */
export type FromThread =
  | { readonly ready: { readonly hash: string; readonly dimension: number } }
  | { readonly unusable: string }
  | { readonly id: number; readonly means: Float32Array }
  | { readonly id: number; readonly failed: string };

/** Word pieces that the model reads of one text, with [CLS] and [SEP]: the limit of the model's card (facts: trained at 256). */
const MAX_PIECES = 256;

/** Texts in one run. More gains nothing on a CPU, since short texts are then padded to the length of long ones. */
const BATCH = 16;

/** Names the operator that scales activations by their batch: with it, a text's vector would depend on its neighbours. */
const BATCH_DEPENDENT = 'DynamicQuantizeLinear';

class Model {
  readonly #session: InferenceSession;
  readonly #tokenizer: Tokenizer;
  readonly #gate: RunGate;
  readonly #batch: number;
  readonly hash: string;

  private constructor(session: InferenceSession, tokenizer: Tokenizer, gate: RunGate, batch: number, hash: string) {
    this.#session = session;
    this.#tokenizer = tokenizer;
    this.#gate = gate;
    this.#batch = batch;
    this.hash = hash;
  }

  static async load({ modelDir, threads, gate: memory }: ThreadData): Promise<Model> {
    const gate = new RunGate(memory);
    const file = await readFile(join(modelDir, 'model.onnx'));
    const tokenizer = new Tokenizer(JSON.parse(await readFile(join(modelDir, 'tokenizer.json'), 'utf8')) as object, {});
    const session = await gate.pass(() => InferenceSession.create(file, { intraOpNumThreads: threads, interOpNumThreads: 1 }));
    const hash = createHash('sha256').update(file).digest('hex');
    return new Model(session, tokenizer, gate, file.includes(BATCH_DEPENDENT) ? 1 : BATCH, hash);
  }

  get dimension(): number {
    const output = this.#session.outputMetadata[0];
    const last = output?.isTensor ? output.shape.at(-1) : undefined;
    if (typeof last !== 'number') throw new Error(`model.onnx has no output of one fixed width: ${JSON.stringify(output)}`);
    return last;
  }

  /** `stillWanted` is asked between two runs, so that an abandoned request frees the thread. */
  async means(texts: readonly string[], stillWanted: () => boolean): Promise<Float32Array | undefined> {
    const width = this.dimension;
    const means = new Float32Array(texts.length * width);
    const encoded = texts.map((text, at) => ({ at, ids: cut(this.#tokenizer.encode(text).ids) }));
    encoded.sort((a, b) => a.ids.length - b.ids.length || a.at - b.at);
    for (let from = 0; from < encoded.length; from += this.#batch) {
      if (!stillWanted()) return undefined;
      const batch = encoded.slice(from, from + this.#batch);
      const states = await this.#run(batch.map(({ ids }) => ids));
      const length = states.length / (batch.length * width);
      batch.forEach(({ at, ids }, row) => {
        addMean(
          states.subarray(row * length * width, (row + 1) * length * width),
          ids.length,
          means.subarray(at * width, (at + 1) * width),
        );
      });
    }
    return means;
  }

  async #run(rows: readonly (readonly number[])[]): Promise<Float32Array> {
    const length = Math.max(...rows.map((ids) => ids.length));
    const feeds: Record<string, BigInt64Array> = {
      input_ids: new BigInt64Array(rows.length * length),
      attention_mask: new BigInt64Array(rows.length * length),
      token_type_ids: new BigInt64Array(rows.length * length),
    };
    rows.forEach((ids, row) => {
      ids.forEach((id, at) => {
        (feeds['input_ids'] as BigInt64Array)[row * length + at] = BigInt(id);
        (feeds['attention_mask'] as BigInt64Array)[row * length + at] = 1n;
      });
    });
    const inputs = this.#session.inputNames.map(
      (name) => [name, new Tensor('int64', feedOf(feeds, name), [rows.length, length])] as const,
    );
    const output = this.#session.outputNames[0] as string;
    const result = await this.#gate.pass(() => this.#session.run(Object.fromEntries(inputs), [output]));
    return (result[output] as Tensor).data as Float32Array;
  }
}

function feedOf(feeds: Readonly<Record<string, BigInt64Array>>, name: string): BigInt64Array {
  const feed = feeds[name];
  if (feed === undefined)
    throw new Error(`model.onnx asks for an input ${name}; one of ${Object.keys(feeds).join(', ')} was expected`);
  return feed;
}

/** The last piece is [SEP] and stays. */
function cut(ids: readonly number[]): readonly number[] {
  return ids.length <= MAX_PIECES ? ids : [...ids.slice(0, MAX_PIECES - 1), ids.at(-1) as number];
}

function addMean(states: Float32Array, pieces: number, mean: Float32Array): void {
  const width = mean.length;
  for (let piece = 0; piece < pieces; piece++) {
    for (let i = 0; i < width; i++) mean[i] = (mean[i] as number) + (states[piece * width + i] as number) / pieces;
  }
}

const message = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Answers requests until the process ends. Runs of several requests take turns. */
async function serve(): Promise<void> {
  const port = parentPort;
  if (port === null) throw new Error('onnx-thread runs as a worker thread of src/adapters/onnx.ts only');
  const post = (answer: FromThread, transfer: ArrayBuffer[] = []): void => port.postMessage(answer, transfer);
  const wanted = new Set<number>();
  let model: Model;
  try {
    model = await Model.load(workerData as ThreadData);
    post({ ready: { hash: model.hash, dimension: model.dimension } });
  } catch (error) {
    post({ unusable: message(error) });
    return;
  }
  port.on('message', (request: ToThread) => {
    if ('abort' in request) {
      wanted.delete(request.id);
      return;
    }
    const { id, texts } = request;
    wanted.add(id);
    model
      .means(texts, () => wanted.has(id))
      .then(
        (means) => {
          if (means !== undefined) post({ id, means }, [means.buffer as ArrayBuffer]);
          wanted.delete(id);
        },
        (error: unknown) => {
          post({ id, failed: message(error) });
          wanted.delete(id);
        },
      );
  });
}

await serve();
