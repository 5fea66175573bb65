import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { OnnxSegmenter } from '../src/adapters/onnx-segmenter.js';
import { hashOf } from '../src/domain/id.js';

/** Raised when what a kept line means changes: other heads, another cut of long turns. */
const EDITION = 1;

/** The attention across each gap of dialogues, kept in a file of the cache by model and texts, since a pass costs a second and more. */
export class AttentionFile {
  readonly #file: string;
  readonly #model: string;
  readonly #kept: Map<string, readonly number[]>;
  readonly #segmenter: OnnxSegmenter;

  private constructor(segmenter: OnnxSegmenter, model: string, file: string, kept: Map<string, readonly number[]>) {
    this.#segmenter = segmenter;
    this.#model = model;
    this.#file = file;
    this.#kept = kept;
  }

  /** `model` is the hash of the model's file. A line that a kill cut short is made again. */
  static async open(segmenter: OnnxSegmenter, model: string, folder: string): Promise<AttentionFile> {
    await mkdir(folder, { recursive: true });
    const file = join(folder, 'attention.txt');
    await appendFile(file, '\n');
    const kept = new Map<string, readonly number[]>();
    for (const line of (await readFile(file, 'utf8')).split('\n')) {
      const [key = '', count = '', ...cuts] = line.split(' ');
      if (cuts.length > 0 && Number(count) === cuts.length) kept.set(key, cuts.map(Number));
    }
    return new AttentionFile(segmenter, model, file, kept);
  }

  async attention(texts: readonly string[]): Promise<readonly number[]> {
    const key = hashOf(JSON.stringify([EDITION, this.#model, texts]));
    const known = this.#kept.get(key);
    if (known) return known;
    const made = await this.#segmenter.attention(texts);
    await appendFile(this.#file, `${key} ${made.length} ${made.join(' ')}\n`);
    this.#kept.set(key, made);
    return made;
  }
}
