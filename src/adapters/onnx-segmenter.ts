import { attentionCut, diagonalMeans, type AttentionPass } from '../domain/attention-cut.js';
import { cutScores, topicStarts } from '../domain/segmentation.js';
import { STOP_WORDS } from '../domain/words.js';
import type { SensedTurn, Segmenter } from '../ports/segmenter.js';
import type { CallOptions } from '../ports/vector-store.js';
import { abortable } from './abortable.js';
import { MODEL, miniLmFolder, openMiniLm } from './minilm-folder.js';
import type { ModelFolder } from './onnx-model.js';
import { MAX_PIECES, type Head } from './onnx-session.js';

/** Pieces of one pass, without [CLS] and [SEP]. */
const MOST = MAX_PIECES - 2;
/** A longer turn is read by its two ends, which join it to its neighbours: two turns always fit into one pass. */
const MOST_OF_TURN = MOST / 2 - 1;

/**
 * Heads of all-MiniLM-L6-v2 whose attention falls across a border, of the 72: those that tell borders best on TIAGE's dev part
 * (AUC 0.60 to 0.64 alone) and on the LoCoMo conversations of the tune set (0.70 to 0.75) alike. Bound to this model.
 */
const HEADS: readonly Head[] = [
  { layer: 1, head: 1 },
  { layer: 2, head: 9 },
  { layer: 3, head: 3 },
  { layer: 4, head: 3 },
  { layer: 4, head: 5 },
  { layer: 4, head: 8 },
];

/** Cuts by the drop of similarity, by cues of dialogue, and by the attention of chosen heads in one pass over neighbouring turns. */
export class OnnxSegmenter implements Segmenter {
  readonly name = `similarity and attention (${MODEL})`;
  readonly #folder: ModelFolder;

  private constructor(folder: ModelFolder) {
    this.#folder = folder;
  }

  /** Loads the model, or joins the one this process has already loaded. Fails with `config` for an unusable folder. */
  static async open(
    modelDir: string,
    { threads = 1, signal }: { readonly threads?: number } & CallOptions = {},
  ): Promise<OnnxSegmenter> {
    const folder = miniLmFolder(modelDir, threads);
    await abortable(openMiniLm(folder), signal);
    return new OnnxSegmenter(folder);
  }

  async starts(turns: readonly SensedTurn[], options: CallOptions = {}): Promise<number[]> {
    if (turns.length < 2) return [];
    const attention = await this.attention(
      turns.map(({ text }) => text),
      options,
    );
    return topicStarts(cutScores(turns, attention), (at) => turns[at]?.mayOpen ?? false);
  }

  /** Attention across the gap before each turn, as `attentionCut` tells it; 1 for the first. */
  async attention(texts: readonly string[], { signal }: CallOptions = {}): Promise<number[]> {
    signal?.throwIfAborted();
    const model = await openMiniLm(this.#folder);
    const words = texts.map((text) => text.toWellFormed().match(/[\p{L}\p{M}\p{N}]+|[^\s\p{L}\p{M}\p{N}]/gu) ?? []);
    const distinct = [...new Set(words.flat())];
    const pieces = await model.pieces(distinct, signal);
    const piecesOf = new Map(distinct.map((word, at) => [word, pieces[at] ?? []]));
    const read = words.map((turn) =>
      ends(turn.flatMap((word) => (piecesOf.get(word) ?? []).map((id) => ({ id, telling: tells(word) })))),
    );
    const passes = overlapping(read.map(({ length }) => length));
    const rows = passes.map(([from, to]) => read.slice(from, to).flatMap((turn) => turn.map(({ id }) => id)));
    const cuts = texts.map(() => 1);
    for (const [index, [from, to]] of passes.entries()) {
      const [answer] = await model.attend([rows[index] ?? []], HEADS, signal);
      const pass: AttentionPass = {
        maps: answer?.maps ?? new Float32Array(),
        turns: read.slice(from, to).flatMap((turn, at) => turn.map(() => from + at)),
        telling: read.slice(from, to).flatMap((turn) => turn.map(({ telling }) => telling)),
      };
      const diagonals = diagonalMeans(pass);
      for (let at = from + 1; at < to; at++) cuts[at] = attentionCut(pass, at, diagonals);
    }
    return cuts;
  }
}

const tells = (word: string): boolean => /[\p{L}\p{N}]/u.test(word) && !STOP_WORDS.has(word.toLowerCase());

function ends<T>(pieces: readonly T[]): readonly T[] {
  if (pieces.length <= MOST_OF_TURN) return pieces;
  const half = Math.floor(MOST_OF_TURN / 2);
  return [...pieces.slice(0, half), ...pieces.slice(-half)];
}

/** Runs [from, to) of turns that fit into a pass; each begins with the turn that the one before ends with, so each gap is in one. */
function overlapping(sizes: readonly number[]): [number, number][] {
  const runs: [number, number][] = [];
  for (let from = 0; from + 1 < sizes.length;) {
    let to = from + 1;
    let filled = sizes[from] as number;
    while (to < sizes.length && filled + (sizes[to] as number) <= MOST) filled += sizes[to++] as number;
    runs.push([from, to]);
    from = to - 1;
  }
  return runs;
}
