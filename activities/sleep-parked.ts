import type { VectorStore } from '../src/ports/vector-store.js';
import { Parked } from '../src/store/parked.js';
import type { ExtractInput } from './contract-conversation.js';
import type { SleepActivities } from './contract-sleep.js';
import { working } from './failures.js';

/** Batches that one list names at most; a sleep lists again after it has been through them. */
const LISTED = 500;

/** Batches that the model refused, as a sleep finds them to try them again. */
export function createParkedActivities({
  store,
}: {
  readonly store: VectorStore;
}): Pick<SleepActivities, 'listParked' | 'unparkBatch'> {
  const parked = new Parked(store);
  return {
    listParked: ({ space }) =>
      working(async (signal) => {
        const found: { readonly at: string; readonly batch: ExtractInput }[] = [];
        for await (const { at, conversation, batchId, topics, read, keepShare } of parked.list(space, undefined, { signal }))
          found.push({ at, batch: { space, conversation, batchId, topics, read: read as ExtractInput['read'], keepShare } });
        found.sort((a, b) => (a.at + a.batch.batchId < b.at + b.batch.batchId ? -1 : 1));
        return { batches: found.slice(0, LISTED).map(({ batch }) => batch) };
      }),
    unparkBatch: (batch) => working(async (signal) => await parked.unpark(batch, { signal })),
  };
}
