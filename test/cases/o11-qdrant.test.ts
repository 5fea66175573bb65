import assert from 'node:assert/strict';

import { EMBEDDING, kind, point, writes } from '../support/points.js';
import { newPrefix, qdrantForTests, type QdrantForTests } from '../support/qdrant.js';

describe('O11: the embedding model is changed over a Qdrant collection that has points', function () {
  this.timeout(60_000);
  const prefix = newPrefix();
  let qdrant: QdrantForTests;
  let collection: string;

  before(async () => {
    qdrant = await qdrantForTests();
    const store = qdrant.open(prefix);
    await store.ensure(EMBEDDING);
    await store.upsert('ann', writes(...['a', 'b', 'c'].map((name) => point(name, {}, { vector: [1, 0, 0, 0] }))));
    await store.close();
    [collection = ''] = await qdrant.collections(prefix);
  });
  after(() => qdrant.stop());

  /** The store's own count: our three points, and the one that says what they were made with. */
  const untouched = async () => {
    assert.deepEqual(await qdrant.collections(prefix), [collection], 'nothing is made beside it, or anew');
    assert.equal(await qdrant.pointsOf(collection), 4);
  };

  it('refuses vectors of another length at start-up, names the collection, both lengths and the way out', async () => {
    const store = qdrant.open(prefix);
    await assert.rejects(store.ensure({ model: 'bigger', dimension: 8, hash: 'def' }), (error) => {
      kind('embedding_dimension')(error);
      const { message, retryable } = error as Error & { retryable: boolean };
      for (const part of [collection, ' 4 ', ' 8', 'ENGRAPH_COLLECTION_PREFIX']) assert.ok(message.includes(part), message);
      assert.equal(retryable, false);
      return true;
    });
    await untouched();
    await store.close();
  });

  it('refuses another model of the same length, and other weights of the same name', async () => {
    const store = qdrant.open(prefix);
    await assert.rejects(store.ensure({ ...EMBEDDING, model: 'other-model' }), kind('embedding_model'));
    await assert.rejects(store.ensure({ ...EMBEDDING, hash: 'xyz' }), kind('embedding_model'));
    await untouched();
    await store.ensure(EMBEDDING);
    assert.equal((await store.search('ann', [{ dense: [1, 0, 0, 0], limit: 5 }]))[0]?.length, 3);
    await store.close();
  });

  it('refuses a collection under its own name that others made with another size, and recreates nothing', async () => {
    const other = newPrefix();
    const theirs = qdrant.nameOf(other, EMBEDDING);
    await qdrant.make(theirs, { vectors: { dense: { size: 8, distance: 'Cosine' } } });
    const store = qdrant.open(other);
    await assert.rejects(store.ensure(EMBEDDING), kind('embedding_dimension'));
    assert.deepEqual(await qdrant.collections(other), [theirs]);
    assert.equal(await qdrant.pointsOf(theirs), 0);
    await store.close();
  });
});
