import type { CallOptions, VectorStore } from '../ports/vector-store.js';
import { Records } from './records.js';
import { abortedBy } from './versions.js';

/** The one record of a space that holds them. */
const KEY = 'all';

/**
 * Who has spoken in a space: the names that its turns bear, which a search tells from the other words of a question before it
 * has seen any turn. One record a space, so that reading them is one fetch.
 */
export class Speakers {
  readonly #records: Records;

  constructor(store: VectorStore) {
    this.#records = new Records(store, 'speakers');
  }

  /** Adds names; those that are known, and blank ones, change nothing. Safe for several writers at once. */
  async add(space: string, names: readonly string[], { signal }: CallOptions = {}): Promise<void> {
    const said = names.map((name) => name.trim().toWellFormed()).filter((name) => name !== '');
    if (said.length === 0) return;
    await this.#records.change(
      space,
      KEY,
      (before) => {
        const known = (before?.['names'] ?? []) as readonly string[];
        const all = [...new Set([...known, ...said])].sort();
        return all.length === known.length ? undefined : { names: all };
      },
      abortedBy(signal),
    );
  }

  /** Every name, sorted by code unit; none where nobody has spoken. */
  async list(space: string, { signal }: CallOptions = {}): Promise<readonly string[]> {
    const record = await this.#records.find(space, KEY, abortedBy(signal));
    return (record?.payload['names'] ?? []) as readonly string[];
  }
}
