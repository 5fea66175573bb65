import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { Tokenizer } from '@huggingface/tokenizers';
import { InferenceSession, Tensor } from 'onnxruntime-node';

import { withAttention } from './onnx-attention.js';
import type { RunGate } from './onnx-gate.js';

/** Word pieces that the model reads of one text, with [CLS] and [SEP]: the limit of the model's card (facts: trained at 256). */
export const MAX_PIECES = 256;

/** Texts in one run. More gains nothing on a CPU, since short texts are then padded to the length of long ones. */
const BATCH = 16;

/** Names the operator that scales activations by their batch: with it, a text's vector would depend on its neighbours. */
const BATCH_DEPENDENT = 'DynamicQuantizeLinear';

/** How long a pass in the background waits while texts are embedded, for which a caller waits: then it goes on beside them. */
const PATIENCE_MS = 2_000;

/** A head of attention by layer and place, both from 0. */
export interface Head {
  readonly layer: number;
  readonly head: number;
}

/** What one pass says of a row of word pieces, [CLS] and [SEP] left out of all of it. */
export interface Attention {
  /** Attention that each piece receives: mean over layers, heads and the pieces that look. Empty where heads were asked for. */
  readonly received: Float32Array;
  /** The maps of the heads that were asked for, one after the other: [heads, pieces, pieces], row looks at column. */
  readonly maps: Float32Array;
}

/** Asked between two runs, so that an abandoned request frees the thread; what was asked for is then undefined. */
export type StillWanted = () => boolean;

/** The model itself, in the thread that computes: one session, patched in memory, that is asked for what is needed only. */
export class OnnxSession {
  readonly hash: string;
  readonly #session: InferenceSession;
  readonly #tokenizer: Tokenizer;
  readonly #gate: RunGate;
  readonly #batch: number;
  readonly #maps: readonly string[];
  readonly #ends: readonly [number, number];
  /** Calls of `means` that are not over, and the passes that wait for them. */
  #embedding = 0;
  readonly #waiting = new Set<() => void>();

  private constructor(session: InferenceSession, tokenizer: Tokenizer, gate: RunGate, file: Buffer, maps: readonly string[]) {
    this.#session = session;
    this.#tokenizer = tokenizer;
    this.#gate = gate;
    this.#batch = file.includes(BATCH_DEPENDENT) ? 1 : BATCH;
    this.#maps = maps;
    const [first, last] = tokenizer.encode('').ids;
    this.#ends = [first as number, last as number];
    this.hash = createHash('sha256').update(file).digest('hex');
  }

  static async load(modelDir: string, threads: number, gate: RunGate): Promise<OnnxSession> {
    const original = await readFile(join(modelDir, 'model.onnx'));
    const tokenizer = new Tokenizer(JSON.parse(await readFile(join(modelDir, 'tokenizer.json'), 'utf8')) as object, {});
    const { file, outputs } = withAttention(original);
    const options = { intraOpNumThreads: threads, interOpNumThreads: 1 };
    const session = await gate.pass(() => InferenceSession.create(file, options));
    return new OnnxSession(session, tokenizer, gate, original, outputs);
  }

  get dimension(): number {
    const output = this.#session.outputMetadata[0];
    const last = output?.isTensor ? output.shape.at(-1) : undefined;
    if (typeof last !== 'number') throw new Error(`model.onnx has no output of one fixed width: ${JSON.stringify(output)}`);
    return last;
  }

  /** One mean of token vectors a text, one after the other, not yet of unit length. */
  async means(texts: readonly string[], stillWanted: StillWanted): Promise<Float32Array | undefined> {
    this.#embedding += 1;
    try {
      return await this.#means(texts, stillWanted);
    } finally {
      this.#embedding -= 1;
      if (this.#embedding === 0) for (const go of [...this.#waiting]) go();
    }
  }

  async #means(texts: readonly string[], stillWanted: StillWanted): Promise<Float32Array | undefined> {
    const width = this.dimension;
    const means = new Float32Array(texts.length * width);
    const encoded = texts.map((text, at) => ({ at, ids: cut(this.#tokenizer.encode(text).ids) }));
    encoded.sort((a, b) => a.ids.length - b.ids.length || a.at - b.at);
    const output = this.#session.outputNames[0] as string;
    for (let from = 0; from < encoded.length; from += this.#batch) {
      if (!stillWanted()) return undefined;
      const batch = encoded.slice(from, from + this.#batch);
      const result = await this.#run(
        batch.map(({ ids }) => ids),
        [output],
      );
      const states = dataOf(result, output);
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

  /** Vocabulary ids of each word's pieces. Word pieces are local to a word, so a row of words is the row of their pieces. */
  pieces(words: readonly string[]): number[][] {
    return words.map((word) => this.#tokenizer.encode(word).ids.slice(1, -1));
  }

  /** The maps of these heads, or without any what each piece receives. One pass a row of at most `MAX_PIECES` - 2 pieces; one at a time, since maps grow with the square of the padded length. Lets `means` go first. */
  async attend(
    rows: readonly (readonly number[])[],
    heads: readonly Head[],
    stillWanted: StillWanted,
  ): Promise<Attention[] | undefined> {
    if (this.#maps.length === 0) throw new Error('model.onnx has no Softmax node whose attention could be read');
    const asked = heads.length === 0 ? this.#maps : this.#mapsOf(heads);
    const read: Attention[] = [];
    for (const row of rows) {
      await this.#afterEmbedding();
      if (!stillWanted()) return undefined;
      if (row.length > MAX_PIECES - 2) throw new Error(`a row of ${row.length} pieces; ${MAX_PIECES - 2} are the most`);
      const result = await this.#run([[this.#ends[0], ...row, this.#ends[1]]], asked);
      const layers = this.#maps.map((name) => (asked.includes(name) ? dataOf(result, name) : undefined));
      read.push({
        received:
          heads.length === 0
            ? received(
                asked.map((name) => dataOf(result, name)),
                row.length,
              )
            : new Float32Array(),
        maps: mapsOf(layers, row.length, heads),
      });
    }
    return read;
  }

  /** The outputs that hold these heads: the maps of other layers are not copied out of the runtime. */
  #mapsOf(heads: readonly Head[]): readonly string[] {
    const odd = heads.find(({ layer }) => this.#maps[layer] === undefined);
    if (odd) throw new Error(`model.onnx has no head ${odd.head} in layer ${odd.layer}`);
    return this.#maps.filter((_, layer) => heads.some((head) => head.layer === layer));
  }

  /** The first output of one pass a row, its [CLS] and [SEP] left out. Lets `means` go first. */
  async outputs(rows: readonly (readonly number[])[], stillWanted: StillWanted): Promise<Float32Array[] | undefined> {
    const output = this.#session.outputNames[0] as string;
    const width = this.dimension;
    const read: Float32Array[] = [];
    for (const row of rows) {
      await this.#afterEmbedding();
      if (!stillWanted()) return undefined;
      const result = await this.#run([[this.#ends[0], ...row, this.#ends[1]]], [output]);
      read.push(dataOf(result, output).slice(width, (row.length + 1) * width));
    }
    return read;
  }

  /** Waits while texts are embedded, yet not for ever. */
  async #afterEmbedding(): Promise<void> {
    if (this.#embedding === 0) return;
    await new Promise<void>((resolve) => {
      const go = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(go);
        resolve();
      };
      const timer = setTimeout(go, PATIENCE_MS);
      this.#waiting.add(go);
    });
  }

  async #run(rows: readonly (readonly number[])[], outputs: readonly string[]): Promise<InferenceSession.ReturnType> {
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
    return await this.#gate.pass(() => this.#session.run(Object.fromEntries(inputs), outputs));
  }
}

const dataOf = (result: InferenceSession.ReturnType, name: string): Float32Array => (result[name] as Tensor).data as Float32Array;

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

function received(layers: readonly Float32Array[], pieces: number): Float32Array {
  const length = pieces + 2;
  const sums = new Float32Array(pieces);
  let rows = 0;
  for (const layer of layers) {
    for (let from = 0; from < layer.length; from += length * length) {
      rows += pieces;
      for (let i = 1; i <= pieces; i++) {
        const row = from + i * length + 1;
        for (let j = 0; j < pieces; j++) sums[j] = (sums[j] as number) + (layer[row + j] as number);
      }
    }
  }
  return sums.map((sum) => sum / rows);
}

function mapsOf(layers: readonly (Float32Array | undefined)[], pieces: number, heads: readonly Head[]): Float32Array {
  const length = pieces + 2;
  const maps = new Float32Array(heads.length * pieces * pieces);
  heads.forEach(({ layer, head }, at) => {
    const from = head * length * length;
    const all = layers[layer];
    if (all === undefined || from + length * length > all.length)
      throw new Error(`model.onnx has no head ${head} in layer ${layer}`);
    for (let i = 0; i < pieces; i++) {
      const row = from + (i + 1) * length + 1;
      maps.set(all.subarray(row, row + pieces), (at * pieces + i) * pieces);
    }
  });
  return maps;
}
