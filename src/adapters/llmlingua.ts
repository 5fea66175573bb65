import { resolve } from 'node:path';

import { windowsOf } from '../domain/compression.js';
import type { TokenScorer, WordScores } from '../ports/token-scorer.js';
import type { CallOptions } from '../ports/vector-store.js';
import { abortable } from './abortable.js';
import { OnnxModel, unusable, type ModelFolder } from './onnx-model.js';

/** Pieces of one window: LLMLingua-2's encoders read 512, with the two that mark the ends. */
const MOST = 510;

/** Logits a piece: 0 says to drop it, 1 to keep it. */
const LABELS = 2;

/**
 * LLMLingua-2 from a folder with `model.onnx` (a token classifier with the labels drop and keep, exported to ONNX) and its
 * `tokenizer.json`: a word's score is the mean keep-probability of its pieces, as in the reference code. No package registry
 * has the weights, so this was tried with a made-up classifier only, never with the real one.
 */
export class LlmLinguaTokenScorer implements TokenScorer {
  readonly name = 'LLMLingua-2';
  readonly #folder: ModelFolder;

  private constructor(folder: ModelFolder) {
    this.#folder = folder;
  }

  /** Loads the model. Fails with `config` where the folder lacks a file or holds no classifier of two labels. */
  static async open(
    modelDir: string,
    { threads = 1, signal }: { readonly threads?: number } & CallOptions = {},
  ): Promise<LlmLinguaTokenScorer> {
    const folder: ModelFolder = {
      modelDir: resolve(modelDir),
      threads,
      purpose: 'compression',
      model: 'an LLMLingua-2 token classifier',
      wayOut: 'set ENGRAPH_LLMLINGUA_DIR to a folder that does, or unset it to compress by the embedding model',
    };
    const model = await abortable(OnnxModel.of(folder), signal);
    if (model.dimension !== LABELS)
      throw unusable(folder, `its model gives ${model.dimension} numbers a token where a classifier gives ${LABELS}`);
    return new LlmLinguaTokenScorer(folder);
  }

  async scoreWords(texts: readonly (readonly string[])[], { signal }: CallOptions = {}): Promise<WordScores[]> {
    signal?.throwIfAborted();
    const model = await OnnxModel.of(this.#folder);
    const words = [...new Set(texts.flat())];
    const pieces = await model.pieces(words, signal);
    const piecesOf = new Map(words.map((word, at) => [word, (pieces[at] ?? []).slice(0, MOST)]));
    const scored: WordScores[] = [];
    for (const text of texts) {
      const read = text.map((word) => piecesOf.get(word) ?? []);
      const windows = windowsOf(
        read.map(({ length }) => length),
        MOST,
      );
      const rows = windows.map(([from, to]) => read.slice(from, to).flat());
      const logits = await model.outputs(rows, signal);
      scored.push({
        scores: windows.flatMap(([from, to], at) => keepProbabilities(logits[at] ?? new Float32Array(), read.slice(from, to))),
        tokens: read.map((ids) => Math.max(1, ids.length)),
      });
    }
    return scored;
  }
}

/** Mean keep-probability of each word's pieces; 0 for a word that the tokenizer drops. */
function keepProbabilities(logits: Float32Array, words: readonly (readonly number[])[]): number[] {
  let piece = 0;
  return words.map(({ length }) => {
    let sum = 0;
    for (const end = piece + length; piece < end; piece++) {
      const [drop = 0, keep = 0] = logits.subarray(piece * LABELS, (piece + 1) * LABELS);
      sum += 1 / (1 + Math.exp(drop - keep));
    }
    return length === 0 ? 0 : sum / length;
  });
}
