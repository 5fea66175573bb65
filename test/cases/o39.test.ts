import assert from 'node:assert/strict';

import { QdrantVectorStore } from '../../src/adapters/qdrant.js';
import { INDEXED_FIELDS } from '../../src/ports/vector-store.js';
import { EMBEDDING } from '../support/points.js';
import { QdrantProxy } from '../support/qdrant-proxy.js';
import { newPrefix, qdrantForTests, type QdrantForTests } from '../support/qdrant.js';
import { qdrantStarter, type Starter } from '../support/qdrant-starter.js';

const ROUNDS = 10;

describe('O39: three processes start at the same instant on an empty Qdrant', function () {
  this.timeout(180_000);
  let qdrant: QdrantForTests;
  const starters: Starter[] = [];

  before(async () => {
    qdrant = await qdrantForTests();
    const server = { url: qdrant.url, ...(qdrant.apiKey !== undefined && { apiKey: qdrant.apiKey }) };
    starters.push(...(await Promise.all(['a', 'b', 'c'].map(() => qdrantStarter(server)))));
  });
  after(async () => {
    for (const starter of starters) await starter.end();
    await qdrant.stop();
  });

  it('all three are well, one collection is there, whole, and a restart finds what was written', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const prefix = newPrefix();
      qdrant.open(prefix); // so that what the processes make is removed
      const started = await Promise.all(starters.map((starter, i) => starter.start(prefix, `from ${i}`)));
      for (const one of started) assert.ok('points' in one && one.points >= 1, JSON.stringify(one));
      const [collection, ...others] = await qdrant.collections(prefix);
      assert.ok(collection !== undefined && others.length === 0);
      const { config, payload_schema: indexes } = await qdrant.describe(collection);
      assert.deepEqual((config.params.vectors as { dense: object }).dense, { size: EMBEDDING.dimension, distance: 'Dot' });
      assert.equal(indexes['space']?.data_type, 'keyword');
      for (const field of INDEXED_FIELDS) assert.equal(indexes[`fields.${field}`]?.data_type, 'keyword', field);
      for (const field of ['recordedAt', 'retiredAt', 'validFrom', 'validTo'])
        assert.equal(indexes[`times.${field}`]?.data_type, 'integer', field);
      const again = await Promise.all(starters.map((starter) => starter.start(prefix)));
      assert.deepEqual(again, [{ points: 3 }, { points: 3 }, { points: 3 }]);
      assert.equal(await qdrant.pointsOf(collection), 4, 'three, and the one that says what they were made with');
    }
  });

  it('waits for a collection that another made and that is not readable yet', async () => {
    const proxy = await QdrantProxy.start(qdrant.url);
    const prefix = newPrefix();
    const first = qdrant.open(prefix);
    await first.ensure(EMBEDDING);
    await first.close();
    const store = new QdrantVectorStore({
      url: proxy.origin,
      prefix,
      ...(qdrant.apiKey !== undefined && { apiKey: qdrant.apiKey }),
    });
    // As it was seen: not there when it is looked for, then there for who would make it, then not readable for a moment.
    let looks = 0;
    proxy.fault = ({ method, path }) =>
      method === 'GET' && path.startsWith(`/collections/${prefix}`) && looks++ < 4 ? { status: 404, body: '{}' } : undefined;
    await store.ensure(EMBEDDING);
    assert.ok(looks >= 5);
    assert.equal(await store.count('ann'), 0);
    await store.close();
    await proxy.stop();
  });
});
