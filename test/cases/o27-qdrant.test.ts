import assert from 'node:assert/strict';

import { memoryOver, type OpenMemory } from '../../src/compose.js';
import { aFact } from '../support/nodes.js';
import { qdrantForTests, type QdrantForTests } from '../support/qdrant.js';
import { WordEmbedder } from '../support/word-embedder.js';

/** Names by which stores and products tell tenants apart, this store's own among them. */
const FOREIGN = {
  ...{ user_id: 'u2', userId: 'u2', session_id: 's9', tenant: 'u2', space: 'u2', id: 'other', revision: 99, token: 'theirs' },
  ...{ fields: { kind: ['episodic'] }, counted: 'episodic', payload: '{}', trail: [] },
};

describe("O27: a caller's metadata names another tenant, in Qdrant", function () {
  this.timeout(60_000);
  let qdrant: QdrantForTests;
  let memory: OpenMemory;

  before(async () => {
    qdrant = await qdrantForTests();
    memory = memoryOver(qdrant.open(), new WordEmbedder());
    await memory.store.ensure(memory.embedder.identity);
  });
  after(async () => {
    await memory.close();
    await qdrant.stop();
  });

  it('stays with its owner when it is written and when it is changed, and nobody else sees it', async () => {
    const { nodes, recall, store } = memory;
    const fact = aFact('the bicycle is green', { metadata: FOREIGN });
    await nodes.insert('u1', [fact], { recordedAt: '2026-01-01T00:00:00Z', token: 'write' });
    const change = { metadata: FOREIGN, text: 'the bicycle is blue' };
    await nodes.revise('u1', { nodeId: fact.id, version: 1, change, recordedAt: '2026-01-02T00:00:00Z', token: 'change' });
    const found = await recall.search('u1', 'bicycle');
    assert.deepEqual(
      found.map(({ node }) => [node.space, node.text, node.metadata]),
      [['u1', 'the bicycle is blue', FOREIGN]],
    );
    assert.deepEqual([await nodes.count('u1'), await nodes.count('u2')], [1, 0]);
    assert.deepEqual(await recall.search('u2', 'bicycle'), []);
    assert.deepEqual(await store.spaces(), ['u1']);
  });

  it('cannot be reached from another space, not even by its id', async () => {
    const { store } = memory;
    const [point] = (await store.scan('u1', {})).points;
    assert.ok(point);
    assert.deepEqual(await store.fetch('u2', [point.id]), []);
    assert.equal(await store.remove('u2', [point.id]), 0);
    assert.equal((await store.fetch('u1', [point.id])).length, 1);
  });

  it('keeps a payload field named as one of its own apart from it', async () => {
    const { store } = memory;
    const { point } = { point: { id: '0a000000-0000-5000-8000-000000000000', space: 'u1', payload: FOREIGN } };
    await store.upsert('u1', [{ point }]);
    assert.deepEqual(await store.fetch('u1', [point.id]), [{ ...point, revision: 1 }]);
    assert.equal(await store.count('u2'), 0);
    assert.equal(await store.remove('u1', [point.id]), 1);
  });
});
