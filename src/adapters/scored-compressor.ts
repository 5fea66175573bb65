import { joinKept, keepBest, unitsOf } from '../domain/compression.js';
import { EngraphError } from '../domain/failure.js';
import { mustKeep } from '../domain/must-keep.js';
import type { Compressed, Compressor } from '../ports/compressor.js';
import type { TokenScorer } from '../ports/token-scorer.js';
import type { CallOptions } from '../ports/vector-store.js';

/** Compression by a scorer's word: what must stay stays, then the best words until the share is reached. */
export class ScoredCompressor implements Compressor {
  readonly #scorer: TokenScorer;

  constructor(scorer: TokenScorer) {
    this.#scorer = scorer;
  }

  get name(): string {
    return this.#scorer.name;
  }

  async compress(texts: readonly string[], keepShare: number, options: CallOptions = {}): Promise<Compressed[]> {
    if (!(keepShare > 0 && keepShare <= 1))
      throw new EngraphError('validation', `the kept share of a compression is ${keepShare}; it is above 0 and at most 1`);
    const wellFormed = texts.map((text) => text.toWellFormed());
    if (keepShare === 1) return wellFormed.map((text) => ({ text, achieved: 1 }));
    const split = wellFormed.map(unitsOf);
    const words = split.map((units) => units.map(({ text }) => text));
    const weighed = await this.#scorer.scoreWords(words, options);
    return split.map((units, at) => {
      const original: Compressed = { text: wellFormed[at] as string, achieved: 1 };
      const { scores, tokens } = weighed[at] as (typeof weighed)[number];
      const telling = units.map(({ text }) => /[\p{L}\p{N}\p{S}]/u.test(text));
      const keep = keepBest({ scores, tokens, kept: mustKeep(units), telling }, keepShare);
      const text = joinKept(units, keep);
      if (text === '' || keep.every(Boolean)) return original;
      const sum = (kept: (index: number) => boolean): number =>
        tokens.reduce((total, count, index) => (kept(index) ? total + count : total), 0);
      return { text, achieved: sum((index) => keep[index] === true) / sum(() => true) };
    });
  }
}
