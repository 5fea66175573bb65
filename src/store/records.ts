import { EngraphError } from '../domain/failure.js';
import { idOf } from '../domain/id.js';
import type { JsonObject } from '../domain/json.js';
import type { CallOptions, StoredPoint, VectorStore } from '../ports/vector-store.js';
import { scanAll } from './scanning.js';
import { abortedBy, BATCH } from './versions.js';

/** What kind of record a plain record is; each has its own keys. */
export type RecordForm =
  | 'draft'
  | 'text'
  | 'document'
  | 'extraction'
  | 'parked'
  | 'speakers'
  | 'plan'
  | 'update_queue'
  | 'pending_link'
  | 'judged_queue'
  | 'self_recall'
  | 'sleep_run'
  | 'sleep_undo'
  | 'unusable_reply'
  | 'consolidation'
  | 'skill'
  | 'mature_subgraph';

/** Times a change is tried again after somebody else's write came between; more at once than this is no accident. */
const MOST_TRIES = 10;

/**
 * Plain records beside the graph: points without vector or terms, found by their key and by nothing else. The id of one is
 * uuid5 of its form, space and key.
 */
export class Records {
  readonly #store: VectorStore;
  readonly #form: RecordForm;

  constructor(store: VectorStore, form: RecordForm) {
    this.#store = store;
    this.#form = form;
  }

  idOf(space: string, key: string): string {
    return idOf(this.#form, space, key);
  }

  /** What is kept under the key, or under an id made from it. */
  async find(
    space: string,
    key: string | { readonly id: string },
    { signal }: CallOptions = {},
  ): Promise<StoredPoint | undefined> {
    const id = typeof key === 'string' ? this.idOf(space, key) : key.id;
    return (await this.#store.fetch(space, [id], {}, abortedBy(signal)))[0];
  }

  /**
   * Changes what is kept under the key (undefined: nothing yet) and returns it as it is then; `change` returning undefined
   * leaves it as it is. Nobody's write in between is lost: the change is then made again on what came of it. `attempt` tells
   * apart writers that would otherwise make the same write at once.
   */
  async change(
    space: string,
    key: string,
    change: (fields: JsonObject | undefined) => JsonObject | undefined,
    { attempt = '', signal }: { attempt?: string | number } & CallOptions = {},
  ): Promise<JsonObject> {
    for (let tries = 1; ; tries++) {
      const before = await this.find(space, key, abortedBy(signal));
      const fields = change(before?.payload);
      if (fields === undefined) return before?.payload ?? {};
      const payload = { ...fields, kind: 'record', form: this.#form, key };
      const expect = before?.revision ?? 0;
      const token = idOf('record', JSON.stringify(payload), expect, attempt);
      try {
        await this.#store.upsert(
          space,
          [{ point: { id: this.idOf(space, key), space, payload }, expect, token }],
          abortedBy(signal),
        );
        return payload;
      } catch (error) {
        const passed = error instanceof EngraphError && error.kind === 'version_conflict' && tries < MOST_TRIES;
        if (!passed) throw error;
      }
    }
  }

  /**
   * Keeps many at once, each in place of what is there under its key: for records that say the same whoever writes them. A
   * store that can writes a batch as one.
   */
  async put(space: string, records: ReadonlyMap<string, JsonObject>, { signal }: CallOptions = {}): Promise<void> {
    const writes = [...records].map(([key, fields]) => ({
      point: { id: this.idOf(space, key), space, payload: { ...fields, kind: 'record', form: this.#form, key } },
    }));
    for (let at = 0; at < writes.length; at += BATCH) {
      await this.#store.upsert(space, writes.slice(at, at + BATCH), abortedBy(signal));
    }
  }

  /** Removes what is kept under the key, for good; nothing there is no failure. */
  async remove(space: string, key: string, { signal }: CallOptions = {}): Promise<void> {
    await this.#store.remove(space, [this.idOf(space, key)], abortedBy(signal));
  }

  /** Every record of this form whose key starts so, in the order of ids. */
  async *list(space: string, prefix = '', { signal }: CallOptions = {}): AsyncGenerator<JsonObject> {
    const keys = prefix === '' ? [] : [{ field: 'key' as const, from: prefix, below: `${prefix}\uffff` }];
    const filter = [{ field: 'kind' as const, anyOf: ['record'] }, { field: 'form' as const, anyOf: [this.#form] }, ...keys];
    for await (const { payload } of scanAll(this.#store, space, { filter }, abortedBy(signal))) yield payload;
  }
}
