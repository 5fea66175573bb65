import { EngraphError } from '../../src/domain/failure.js';
import type { VectorStore, Write } from '../../src/ports/vector-store.js';

/** A store that dies before its n-th write, as a killed process would; reads go on. */
export class MortalStore implements VectorStore {
  /** Writes that are still made. */
  left = Number.POSITIVE_INFINITY;
  /** Writes made so far. */
  made = 0;
  /** Called before each write. */
  before: (write: number) => Promise<void> = () => Promise.resolve();
  readonly #store: VectorStore;

  constructor(store: VectorStore) {
    this.#store = store;
  }

  async upsert(space: string, writes: readonly Write[]): Promise<void> {
    if (writes.length === 0) return;
    if (this.left-- <= 0) throw new EngraphError('store_unavailable', 'killed');
    await this.before(this.made);
    this.made += 1;
    await this.#store.upsert(space, writes);
  }

  ensure: VectorStore['ensure'] = (...args) => this.#store.ensure(...args);
  search: VectorStore['search'] = (...args) => this.#store.search(...args);
  statistics: VectorStore['statistics'] = (...args) => this.#store.statistics(...args);
  fetch: VectorStore['fetch'] = (...args) => this.#store.fetch(...args);
  scan: VectorStore['scan'] = (...args) => this.#store.scan(...args);
  count: VectorStore['count'] = (...args) => this.#store.count(...args);
  remove: VectorStore['remove'] = (...args) => this.#store.remove(...args);
  spaces: VectorStore['spaces'] = (...args) => this.#store.spaces(...args);
  close: VectorStore['close'] = () => this.#store.close();
}
