import assert from 'node:assert/strict';

import { InMemoryVectorStore } from '../../src/adapters/in-memory.js';
import { memoryOver } from '../../src/compose.js';
import { EngraphError } from '../../src/domain/failure.js';
import { checkSpace } from '../../src/domain/space.js';
import { aFact } from '../support/nodes.js';
import { WordEmbedder } from '../support/word-embedder.js';

const SPACES = ['ann', 'ann-lee', 'ann:lee', "o'mira", 'a/b', 'a%2Fb', '用户1'];
const QUERIES = ['number', 'O\'Mira\'s "cat"', '(a OR b)*', '\\', '--', '100%'];

describe('O28: names and queries that look like syntax', () => {
  it('keep each space to itself, in searches and exports, and fail nowhere', async () => {
    const embedder = new WordEmbedder();
    const { store, nodes, recall } = memoryOver(new InMemoryVectorStore(), embedder);
    await store.ensure(embedder.identity);
    for (const [n, space] of SPACES.entries()) {
      const fact = aFact(`my number is ${n}`);
      await nodes.insert(checkSpace(space), [fact], { recordedAt: '2026-01-01T00:00:00Z', token: 'test' });
    }
    for (const [n, space] of SPACES.entries()) {
      for (const query of QUERIES) {
        for (const mode of ['fast', 'hybrid'] as const) {
          const found = await recall.search(space, query, { mode, kinds: ['semantic', 'episodic', 'procedural'] });
          assert.deepEqual(
            found.map(({ node }) => [node.space, node.text]),
            [[space, `my number is ${n}`]],
          );
        }
      }
      const exported: unknown[] = [];
      for await (const line of nodes.exportSpace(space)) exported.push(line['text']);
      assert.deepEqual(exported, [`my number is ${n}`]);
    }
    assert.deepEqual(await store.spaces(), SPACES.toSorted());
  });

  it('refuse a name of 300 characters before anything is kept', () => {
    assert.throws(
      () => checkSpace('x'.repeat(300)),
      (error) => error instanceof EngraphError && error.kind === 'bad_space',
    );
  });
});
