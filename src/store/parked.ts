import type { JsonObject } from '../domain/json.js';
import { keyOf } from '../domain/space.js';
import type { Topic } from '../domain/turn.js';
import type { CallOptions, VectorStore } from '../ports/vector-store.js';
import type { BatchKey } from './facts.js';
import { Records } from './records.js';

/** A batch that the model refused for good, with what it takes to try it again. Turns by id; no text. */
export interface ParkedBatch extends BatchKey {
  readonly topics: readonly Topic[];
  readonly read: string;
  readonly keepShare: number;
  /** The failure's kind, by design.md section 8. */
  readonly kind: string;
  readonly reason: string;
  /** When it was parked first, ISO 8601. */
  readonly at: string;
  /** Batch ids of the drafts that hold the model's raw replies, where there are any. */
  readonly drafts: readonly string[];
}

/** Batches that wait for another try: shown by `status`, tried again by sleep, never dropped. */
export class Parked {
  readonly #records: Records;

  constructor(store: VectorStore) {
    this.#records = new Records(store, 'parked');
  }

  /** Parks the batch. Parked already, it stays as it was parked first. */
  async park(batch: ParkedBatch, options: CallOptions = {}): Promise<void> {
    const { space, conversation, batchId } = batch;
    // A record's own `kind` is what it is; the failure's goes by another name.
    const { space: _space, kind, ...fields } = JSON.parse(JSON.stringify(batch)) as JsonObject & { kind: string };
    const key = `${keyOf(conversation)}/${batchId}`;
    await this.#records.change(space, key, (known) => (known ? undefined : { ...fields, failure: kind }), options);
  }

  /** Forgets that the batch was parked; what was never parked stays so. */
  async unpark({ space, conversation, batchId }: BatchKey, options: CallOptions = {}): Promise<void> {
    await this.#records.remove(space, `${keyOf(conversation)}/${batchId}`, options);
  }

  /** The batches parked in a space, or those of one conversation, in the order of their ids. */
  async *list(space: string, conversation?: string, options: CallOptions = {}): AsyncGenerator<ParkedBatch> {
    const prefix = conversation === undefined ? '' : `${keyOf(conversation)}/`;
    for await (const fields of this.#records.list(space, prefix, options)) {
      const { failure, form: _form, key: _key, ...batch } = fields;
      yield { ...batch, space, kind: failure } as unknown as ParkedBatch;
    }
  }
}
