import { estimateTokens } from '../src/domain/context.js';
import { LOOK_BACK, startsBy, type CutRule, type TurnTrace } from '../src/domain/segmentation.js';
import type { AttentionFile } from './segment-attention.js';
import type { Dialogue } from './segment-data.js';

/** Tokens of a sensory buffer, by default [LightMem: 512]. */
const BUFFER = 512;

/** A dialogue with what the model says of its turns. */
export interface Sensed extends Dialogue {
  readonly turns: readonly TurnTrace[];
}

/** Borders that were found, and the passes over turns that it took. */
export interface Found {
  readonly starts: readonly number[];
  readonly passes: number;
  readonly pieces: number;
}

/** The whole dialogue cut at once, by the product's own code. */
export async function cutWhole(turns: readonly TurnTrace[], rule: CutRule, file: AttentionFile): Promise<Found> {
  let [passes, pieces] = [0, 0];
  const texts = turns.map(({ text }) => text);
  const starts = await startsBy(rule, turns, async (gaps) => {
    const read = await file.attention(texts, gaps);
    passes += read.passes;
    pieces += read.pieces;
    return read.across;
  });
  return { starts, passes, pieces };
}

/**
 * The dialogue as a conversation's sensory buffer cuts it: when the buffer is full it is cut with the turns before it in sight;
 * what follows the last cut waits, a buffer without a cut goes whole. Whether its first turn starts a topic is said again
 * when more is known.
 */
export async function cutInBuffers(turns: readonly TurnTrace[], rule: CutRule, file: AttentionFile): Promise<Found> {
  const found = new Set<number>();
  let [passes, pieces, from, tokens] = [0, 0, 0, 0];
  for (const [at, turn] of turns.entries()) {
    tokens += estimateTokens(turn.text);
    if (tokens < BUFFER && at < turns.length - 1) continue;
    const back = Math.max(0, from - LOOK_BACK);
    const seen = turns.slice(back, at + 1).map((one, i) => (back + i < from ? { ...one, mayOpen: false } : one));
    const cut = await cutWhole(seen, rule, file);
    passes += cut.passes;
    pieces += cut.pieces;
    const starts = cut.starts.map((start) => back + start);
    found.delete(from);
    for (const start of starts) found.add(start);
    const last = starts.at(-1) ?? from;
    from = last > from ? last : at + 1;
    tokens = turns.slice(from, at + 1).reduce((sum, { text }) => sum + estimateTokens(text), 0);
  }
  return { starts: [...found].sort((a, b) => a - b), passes, pieces };
}
