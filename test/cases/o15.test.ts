import assert from 'node:assert/strict';

import { InMemoryVectorStore } from '../../src/adapters/in-memory.js';
import { memoryOver } from '../../src/compose.js';
import { aFact } from '../support/nodes.js';
import { WordEmbedder } from '../support/word-embedder.js';

const MEMORIES = { M1: '用户最喜欢的编程语言是Rust', M2: '用户住在杭州西湖附近', M3: '用户对花生过敏' };

describe('O15: keyword search in Chinese', () => {
  for (const [query, hit, alone] of [
    ['花生过敏', MEMORIES.M3, true],
    ['西湖', MEMORIES.M2, true],
    ['rust', MEMORIES.M1, false],
  ] as const) {
    it(`finds ${hit} by ${query}${alone ? ' and gives the others no keyword score' : ', whatever the case'}`, async () => {
      const embedder = new WordEmbedder();
      const { store, nodes, recall } = memoryOver(new InMemoryVectorStore(), embedder);
      await store.ensure(embedder.identity);
      const facts = Object.values(MEMORIES).map((text) => aFact(text));
      await nodes.insert('用户', facts, { recordedAt: '2026-01-01T00:00:00Z', token: 'test' });
      const found = await recall.search('用户', query, { weights: { denseWeight: 0, bm25Weight: 1, llmWeight: 0 } });
      const [first, ...others] = found;
      assert.equal(first?.node.text, hit);
      assert.ok(first.bm25 > 0 && first.score > 0);
      if (alone)
        assert.deepEqual(
          others.map(({ bm25, score }) => [bm25, score]),
          [
            [0, 0],
            [0, 0],
          ],
        );
    });
  }
});
