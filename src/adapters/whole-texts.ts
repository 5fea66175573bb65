import type { Compressed, Compressor } from '../ports/compressor.js';

/** The compressor that leaves texts as they are: where nothing can score words, everything is kept, and `achieved` says so. */
export class WholeTexts implements Compressor {
  readonly name = 'none';

  compress(texts: readonly string[]): Promise<Compressed[]> {
    return Promise.resolve(texts.map((text) => ({ text: text.toWellFormed(), achieved: 1 })));
  }
}
