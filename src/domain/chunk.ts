import { blocksOf } from './blocks.js';
import { CHUNK_CHARACTERS } from './document.js';
import { hashOf } from './id.js';

/** A piece of a document. Offsets are UTF-16 code units into its text; `text` is that slice, without blanks at its ends. */
export interface Chunk {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** A heading that takes more of a chunk than this share does not wait for what follows. */
const LONGEST_HEADING = 0.5;

const sentences = new Intl.Segmenter('en', { granularity: 'sentence' });
const words = new Intl.Segmenter('en', { granularity: 'word' });
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** How a paragraph that is too long is taken apart: at sentence ends, then words, then characters as a reader counts them. */
const SPLITTERS = [sentences, words, graphemes];

/**
 * A text in chunks of at most `characters` (more only where one grapheme is longer), in its order: cut at paragraph ends, then
 * sentence ends, then words, never inside a grapheme. A heading stays with what follows. All that is not blank is in exactly
 * one chunk. Where a chunk that is half full ends depends on the text around that place, not on how far it is from the start:
 * after a change the cuts soon fall where they fell before, so that a changed document keeps most of its chunks.
 */
export function chunkText(text: string, { characters = CHUNK_CHARACTERS }: { readonly characters?: number } = {}): Chunk[] {
  const packer = new Packer(text, characters);
  for (const block of blocksOf(text)) packer.add(block, 0);
  return packer.finish();
}

interface Unit {
  readonly start: number;
  readonly end: number;
  readonly heading: boolean;
}

class Packer {
  readonly #text: string;
  readonly #most: number;
  readonly #chunks: Chunk[] = [];
  #open: Unit[] = [];

  constructor(text: string, most: number) {
    this.#text = text;
    this.#most = most;
  }

  add(unit: Unit, level: number): void {
    if (this.#fits(unit) && !(level <= 1 && this.#isCut(unit))) {
      this.#open.push(unit);
      return;
    }
    this.#close(unit);
    const splitter = SPLITTERS[level];
    if (this.#fits(unit)) this.#open.push(unit);
    else if (splitter) for (const piece of this.#pieces(unit, splitter)) this.add(piece, level + 1);
    else {
      this.#emit(this.#open);
      this.#open = [unit];
    }
  }

  finish(): Chunk[] {
    this.#emit(this.#open);
    return this.#chunks;
  }

  #fits({ start, end }: Unit): boolean {
    return end - (this.#open[0]?.start ?? start) <= this.#most;
  }

  /** Whether a chunk may as well end before this unit: the open one is long enough, and the unit's own text says so. */
  #isCut({ start, end, heading }: Unit): boolean {
    if (this.#open.at(-1)?.heading) return false;
    const length = this.#length(this.#open);
    if (heading) return length >= this.#most / 4;
    return length >= this.#most / 2 && /^[0-7]/u.test(hashOf(this.#text.slice(start, end)));
  }

  /** Ends the open chunk; headings at its end wait for what follows. */
  #close(next: Unit): void {
    const body = this.#open.findLastIndex(({ heading }) => !heading) + 1;
    const waiting = this.#open.slice(body);
    const wait = this.#length(waiting) <= this.#most * LONGEST_HEADING && (body > 0 || !next.heading);
    this.#emit(wait ? this.#open.slice(0, body) : this.#open);
    this.#open = wait ? waiting : [];
  }

  #emit(units: readonly Unit[]): void {
    const [first, last] = [units[0], units.at(-1)];
    if (first && last) this.#chunks.push({ text: this.#text.slice(first.start, last.end), start: first.start, end: last.end });
  }

  #length(units: readonly Unit[]): number {
    const [first, last] = [units[0], units.at(-1)];
    return first && last ? last.end - first.start : 0;
  }

  *#pieces({ start, end }: Unit, splitter: Intl.Segmenter): Generator<Unit> {
    for (const { segment, index } of splitter.segment(this.#text.slice(start, end))) {
      const before = segment.length - segment.trimStart().length;
      const length = segment.trim().length;
      if (length > 0) yield { start: start + index + before, end: start + index + before + length, heading: false };
    }
  }
}
