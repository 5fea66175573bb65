import type { CallOptions, VectorStore } from '../ports/vector-store.js';
import { Records } from './records.js';

/** What a task of one fingerprint is shown first: a mature skill, and the facts that its source episodes stood on. */
export interface MatureSubgraph {
  readonly skillId: string;
  readonly semantic: readonly string[];
}

/** Subgraphs by the fingerprint of the instructions that they fit. One is only a hint: whoever reads it looks at the skill too. */
export class MatureSubgraphs {
  readonly #records: Records;

  constructor(store: VectorStore) {
    this.#records = new Records(store, 'mature_subgraph');
  }

  async find(space: string, fingerprint: string, options: CallOptions = {}): Promise<MatureSubgraph | undefined> {
    return (await this.#records.find(space, fingerprint, options))?.payload as unknown as MatureSubgraph | undefined;
  }

  /** The last one kept for a fingerprint holds. */
  async keep(space: string, fingerprint: string, subgraph: MatureSubgraph, options: CallOptions = {}): Promise<void> {
    await this.#records.change(space, fingerprint, () => ({ ...subgraph }), options);
  }
}
