import { ATTENTION_SIDE, attentionCut, diagonalMeans, passesOver, type AttentionPass } from '../domain/attention-cut.js';
import { MINILM_CUTS, startsBy } from '../domain/segmentation.js';
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
 * Heads of all-MiniLM-L6-v2 whose attention falls across a border: the six of the 72 that tell borders best on TIAGE's train and
 * dev parts (AUC 0.64 to 0.69 alone); on LoCoMo's conversations of the tune set they have 0.68 to 0.81. Bound to this model.
 */
const HEADS: readonly Head[] = [
  { layer: 0, head: 8 },
  { layer: 1, head: 1 },
  { layer: 2, head: 9 },
  { layer: 3, head: 3 },
  { layer: 3, head: 5 },
  { layer: 4, head: 5 },
];

/** What passes said. */
export interface AttentionRead {
  /** As `attentionCut` tells it: of the gap before turn `at` under `at`. */
  readonly across: ReadonlyMap<number, number>;
  readonly passes: number;
  /** Word pieces in them, turns that are in two counted twice. */
  readonly pieces: number;
}

/**
 * Cuts by the drop of similarity and cues of dialogue, and where these leave it open by the attention of chosen heads in a pass
 * over the turns around. The turns' vectors must be all-MiniLM-L6-v2's: the threshold is absolute.
 */
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
    const texts = turns.map(({ text }) => text);
    return await startsBy(MINILM_CUTS, turns, async (gaps) => (await this.attention(texts, gaps, options)).across);
  }

  /** Attention across these gaps, ascending, and what it cost. */
  async attention(texts: readonly string[], gaps: readonly number[], { signal }: CallOptions = {}): Promise<AttentionRead> {
    signal?.throwIfAborted();
    const model = await openMiniLm(this.#folder);
    const isRead = texts.map((_, turn) => gaps.some((gap) => turn >= gap - ATTENTION_SIDE && turn < gap + ATTENTION_SIDE));
    const words = texts.map((text, turn) => (isRead[turn] ? wordsAndSigns(text) : []));
    const distinct = [...new Set(words.flat())];
    const pieces = await model.pieces(distinct, signal);
    const piecesOf = new Map(distinct.map((word, at) => [word, pieces[at] ?? []]));
    const read = words.map((turn) =>
      ends(turn.flatMap((word) => (piecesOf.get(word) ?? []).map((id) => ({ id, telling: tells(word) })))),
    );
    const across = new Map<number, number>();
    let [passes, filled] = [0, 0];
    for (const { from, to, gaps: own } of passesOver(
      read.map(({ length }) => length),
      gaps,
      MOST,
    )) {
      const row = read.slice(from, to).flat();
      passes += 1;
      filled += row.length;
      const [answer] = await model.attend([row.map(({ id }) => id)], HEADS, signal);
      const pass: AttentionPass = {
        maps: answer?.maps ?? new Float32Array(),
        turns: read.slice(from, to).flatMap((turn, at) => turn.map(() => from + at)),
        telling: row.map(({ telling }) => telling),
      };
      const diagonals = diagonalMeans(pass);
      for (const gap of own) across.set(gap, attentionCut(pass, gap, diagonals));
    }
    return { across, passes, pieces: filled };
  }
}

const wordsAndSigns = (text: string): readonly string[] =>
  text.toWellFormed().match(/[\p{L}\p{M}\p{N}]+|[^\s\p{L}\p{M}\p{N}]/gu) ?? [];

const tells = (word: string): boolean => /[\p{L}\p{N}]/u.test(word) && !STOP_WORDS.has(word.toLowerCase());

function ends<T>(pieces: readonly T[]): readonly T[] {
  if (pieces.length <= MOST_OF_TURN) return pieces;
  const half = Math.floor(MOST_OF_TURN / 2);
  return [...pieces.slice(0, half), ...pieces.slice(-half)];
}
