import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { AttentionRead, OnnxSegmenter } from '../src/adapters/onnx-segmenter.js';
import { hashOf } from '../src/domain/id.js';

/** Raised when what a kept line means changes: other heads, another cut of long turns. */
const EDITION = 2;

/** The attention across gaps of dialogues, kept in a file of the cache by model, texts and gaps, since a pass takes a tenth of a second. */
export class AttentionFile {
  readonly #file: string;
  readonly #model: string;
  readonly #kept: Map<string, AttentionRead>;
  readonly #segmenter: OnnxSegmenter;

  private constructor(segmenter: OnnxSegmenter, model: string, file: string, kept: Map<string, AttentionRead>) {
    this.#segmenter = segmenter;
    this.#model = model;
    this.#file = file;
    this.#kept = kept;
  }

  /** `model` is the hash of the model's file. A line that a kill cut short is made again. */
  static async open(segmenter: OnnxSegmenter, model: string, folder: string): Promise<AttentionFile> {
    await mkdir(folder, { recursive: true });
    const file = join(folder, 'attention-of-gaps.txt');
    await appendFile(file, '\n');
    const kept = new Map<string, AttentionRead>();
    for (const line of (await readFile(file, 'utf8')).split('\n')) {
      const [key = '', passes, pieces, count, ...numbers] = line.split(' ');
      if (count === undefined || numbers.length !== 2 * Number(count)) continue;
      const values = numbers.map(Number);
      const across = new Map(values.flatMap((gap, at): [number, number][] => (at % 2 === 0 ? [[gap, values[at + 1] ?? 1]] : [])));
      kept.set(key, { across, passes: Number(passes), pieces: Number(pieces) });
    }
    return new AttentionFile(segmenter, model, file, kept);
  }

  async attention(texts: readonly string[], gaps: readonly number[]): Promise<AttentionRead> {
    const key = hashOf(JSON.stringify([EDITION, this.#model, texts, gaps]));
    const known = this.#kept.get(key);
    if (known) return known;
    const made = await this.#segmenter.attention(texts, gaps);
    const numbers = [...made.across].flatMap(([gap, value]) => [gap, Number(value.toFixed(6))]);
    await appendFile(this.#file, `${[key, made.passes, made.pieces, made.across.size, ...numbers].join(' ')}\n`);
    this.#kept.set(key, made);
    return made;
  }
}
