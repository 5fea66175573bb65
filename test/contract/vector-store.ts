import assert from 'node:assert/strict';

import type { VectorStore } from '../../src/ports/vector-store.js';
import { EMBEDDING, kind, point, writes } from '../support/points.js';
import { describeFilters } from './vector-store-filters.js';
import { describeIsolation } from './vector-store-isolation.js';
import { describeReads, describeStatistics } from './vector-store-reads.js';
import { describeVectorSearch } from './vector-store-search.js';
import { describeWrites } from './vector-store-writes.js';

/** Opens a new and empty store, not yet told its embedding. */
export type Open = () => Promise<VectorStore>;

/** What every adapter of the `VectorStore` port must do. */
export function describeVectorStore(name: string, open: Open): void {
  describe(`${name} as a vector store`, () => {
    let store: VectorStore;
    beforeEach(async () => {
      store = await open();
      await store.ensure(EMBEDDING);
    });
    afterEach(() => store.close());

    describeWrites(() => store);
    describeReads(() => store);
    describeStatistics(() => store);
    describeIsolation(() => store);
    describeFilters(() => store);
    describeVectorSearch(() => store);

    it('accepts the same embedding again and refuses another, leaving the points alone', async () => {
      await store.upsert('ann', writes(point('a', {}, { vector: [1, 0, 0, 0] })));
      await store.ensure({ ...EMBEDDING });
      await assert.rejects(store.ensure({ ...EMBEDDING, dimension: 8 }), kind('embedding_dimension'));
      await assert.rejects(store.ensure({ ...EMBEDDING, model: 'other' }), kind('embedding_model'));
      await assert.rejects(store.ensure({ ...EMBEDDING, hash: 'other' }), kind('embedding_model'));
      assert.equal(await store.count('ann'), 1);
    });

    it('stops for a signal that was aborted, with its reason', async () => {
      const signal = AbortSignal.abort(new Error('enough'));
      await assert.rejects(store.upsert('ann', writes(point('a')), { signal }), /enough/u);
      await assert.rejects(store.search('ann', [], { signal }), /enough/u);
      assert.equal(await store.count('ann'), 0);
    });
  });
}
