import assert from 'node:assert/strict';

import type { QdrantVectorStore } from '../../src/adapters/qdrant.js';
import { memoryOver } from '../../src/compose.js';
import { aFact } from '../support/nodes.js';
import { kind, point, writes } from '../support/points.js';
import { qdrantForTests, type QdrantForTests } from '../support/qdrant.js';
import { WordEmbedder } from '../support/word-embedder.js';

const SPACES = ['ann', 'ann-lee', 'ann:lee', "o'mira", 'a/b', 'a%2Fb', '用户1'];
const QUERIES = ['number', 'O\'Mira\'s "cat"', '(a OR b)*', '\\', '--', '100%'];

describe('O28: names of spaces and queries that are syntax elsewhere, in Qdrant', function () {
  this.timeout(60_000);
  let qdrant: QdrantForTests;
  let store: QdrantVectorStore;

  before(async () => {
    qdrant = await qdrantForTests();
    store = qdrant.open();
  });
  after(async () => {
    await store.close();
    await qdrant.stop();
  });

  it('keep each space to itself, in searches and exports, and fail nowhere', async () => {
    const embedder = new WordEmbedder();
    const { nodes, recall } = memoryOver(store, embedder);
    await store.ensure(embedder.identity);
    for (const [n, space] of SPACES.entries())
      await nodes.insert(space, [aFact(`my number is ${n}`)], { recordedAt: '2026-01-01T00:00:00Z', token: 'test' });
    for (const [n, space] of SPACES.entries()) {
      for (const query of QUERIES) {
        const found = await recall.search(space, query, { kinds: ['semantic', 'episodic', 'procedural'] });
        assert.deepEqual(
          found.map(({ node }) => [node.space, node.text]),
          [[space, `my number is ${n}`]],
          `${space}: ${query}`,
        );
      }
      const exported: unknown[] = [];
      for await (const line of nodes.exportSpace(space)) exported.push(line['text']);
      assert.deepEqual(exported, [`my number is ${n}`]);
    }
    assert.deepEqual(await store.spaces(), SPACES.toSorted());
  });

  it('refuse a name of 300 characters at the first write, so that nothing is accepted and then lost', async () => {
    const space = 'x'.repeat(300);
    await assert.rejects(store.upsert(space, writes(point('fact', {}, { space }))), kind('bad_space'));
    assert.deepEqual(await store.spaces(), SPACES.toSorted());
  });
});
