import { EngraphError } from '../domain/failure.js';
import { hashOf } from '../domain/id.js';
import type { CallOptions, VectorStore } from '../ports/vector-store.js';
import { Records } from './records.js';

/**
 * Texts that are too long, or too private, for a history: kept in the store under a reference made from their content, so
 * that the same text in the same space is kept once and has one reference.
 */
export class Texts {
  readonly #records: Records;

  constructor(store: VectorStore) {
    this.#records = new Records(store, 'text');
  }

  /** Keeps the text as it is, code unit for code unit, and returns its reference: a UUID. */
  async keep(space: string, text: string, options: CallOptions = {}): Promise<string> {
    const key = hashOf(text);
    await this.#records.change(space, key, (kept) => (kept ? undefined : { text }), options);
    return this.#records.idOf(space, key);
  }

  /** The text of a reference. Fails with `not_found`, which names the reference. */
  async read(space: string, ref: string, options: CallOptions = {}): Promise<string> {
    const text = (await this.#records.find(space, { id: ref }, options))?.payload['text'];
    if (typeof text !== 'string')
      throw new EngraphError('not_found', `there is no text ${ref} in this space`, { details: { ref } });
    return text;
  }
}
