import type { CallOptions, VectorStore } from '../ports/vector-store.js';
import { Records } from './records.js';

/**
 * Sleeps in which the reply to a question stayed unusable. An answer that is kept is never bought again, so that the next
 * sleep must ask the same question under another id; the same sleep, tried again, must not.
 */
export class UnusableReplies {
  readonly #records: Records;

  constructor(store: VectorStore) {
    this.#records = new Records(store, 'unusable_reply');
  }

  /** How many other runs than this one got no usable reply. */
  async before(space: string, question: string, runId: string, options: CallOptions = {}): Promise<number> {
    const runs = runsIn((await this.#records.find(space, question, options))?.payload['runs']);
    return runs.filter((run) => run !== runId).length;
  }

  async add(space: string, question: string, runId: string): Promise<void> {
    await this.#records.change(space, question, (known) => {
      const runs = runsIn(known?.['runs']);
      return runs.includes(runId) ? undefined : { runs: [...runs, runId] };
    });
  }
}

const runsIn = (kept: unknown): string[] => (Array.isArray(kept) ? (kept as string[]) : []);
