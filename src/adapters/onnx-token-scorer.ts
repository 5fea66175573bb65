import { ranksOf, windowsOf } from '../domain/compression.js';
import type { TokenScorer, WordScores } from '../ports/token-scorer.js';
import type { CallOptions } from '../ports/vector-store.js';
import { abortable } from './abortable.js';
import { MODEL, miniLmFolder, openMiniLm } from './minilm-folder.js';
import type { ModelFolder } from './onnx-model.js';
import { MAX_PIECES } from './onnx-session.js';

/** Pieces of one window, without [CLS] and [SEP]. */
const MOST = MAX_PIECES - 2;

/**
 * Words by rarity and by attention: the mean of two ranks, that of log(vocabulary id), since BERT's list is roughly by
 * frequency, and that of the attention a word receives in one pass of all-MiniLM-L6-v2, over all layers and heads. Of the
 * built-in signals it kept the most key words: 22 of 22 at 0.6 (facts/models.md 2.4). Longer texts are read in windows.
 */
export class OnnxTokenScorer implements TokenScorer {
  readonly name = `${MODEL} (idf and attention)`;
  readonly #folder: ModelFolder;

  private constructor(folder: ModelFolder) {
    this.#folder = folder;
  }

  /** Loads the model, or joins the one this process has already loaded. Fails with `config` for an unusable folder. */
  static async open(
    modelDir: string,
    { threads = 1, signal }: { readonly threads?: number } & CallOptions = {},
  ): Promise<OnnxTokenScorer> {
    const folder = miniLmFolder(modelDir, threads);
    await abortable(openMiniLm(folder), signal);
    return new OnnxTokenScorer(folder);
  }

  async scoreWords(texts: readonly (readonly string[])[], { signal }: CallOptions = {}): Promise<WordScores[]> {
    signal?.throwIfAborted();
    const model = await openMiniLm(this.#folder);
    const words = [...new Set(texts.flat())];
    const pieces = await model.pieces(words, signal);
    const piecesOf = new Map(words.map((word, at) => [word, (pieces[at] ?? []).slice(0, MOST)]));
    const read = texts.map((text) => text.map((word) => piecesOf.get(word) ?? []));
    const windows = read.map((text) =>
      windowsOf(
        text.map(({ length }) => length),
        MOST,
      ),
    );
    const rows = read.flatMap((text, at) => (windows[at] ?? []).map(([from, to]) => text.slice(from, to).flat()));
    const attention = await model.attend(rows, [], signal);
    let row = 0;
    return read.map((text, at) => {
      const received = (windows[at] ?? []).flatMap(([from, to]) => {
        const window = text.slice(from, to);
        return meansOf(attention[row++]?.received ?? new Float32Array(), window);
      });
      const byRarity = ranksOf(text.map((ids) => Math.log(1 + Math.max(0, ...ids))));
      const byAttention = ranksOf(received);
      return {
        scores: text.map((_, word) => ((byRarity[word] as number) + (byAttention[word] as number)) / 2),
        tokens: text.map((ids) => Math.max(1, ids.length)),
      };
    });
  }
}

/** Mean attention that each word's pieces receive, as a multiple of an even share, so that windows of any length compare. */
function meansOf(received: Float32Array, words: readonly (readonly number[])[]): number[] {
  let from = 0;
  return words.map(({ length }) => {
    const own = received.subarray(from, (from += length));
    return length === 0 ? 0 : (own.reduce((sum, value) => sum + value, 0) / length) * received.length;
  });
}
