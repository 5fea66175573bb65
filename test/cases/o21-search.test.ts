import assert from 'node:assert/strict';

import { memoryOver } from '../../src/compose.js';
import { InMemoryVectorStore } from '../../src/adapters/in-memory.js';
import { aFact } from '../support/nodes.js';
import { WordEmbedder } from '../support/word-embedder.js';

const BERLIN = aFact('the user lives in Berlin', { validFrom: '2023-01-05T00:00:00.000Z' });
const PARIS = aFact('the user lives in Paris', {
  validFrom: '2024-06-01T00:00:00.000Z',
  edges: { supersedes: [BERLIN.id] },
});

describe('O21: an older chat that is loaded after a newer one', () => {
  for (const order of [
    [PARIS, BERLIN],
    [BERLIN, PARIS],
  ]) {
    it(`is found where it belongs in time, ${order[0] === PARIS ? 'newer' : 'older'} first`, async () => {
      const memory = memoryOver(new InMemoryVectorStore(), new WordEmbedder());
      await memory.store.ensure(memory.embedder.identity);
      for (const [at, fact] of order.entries()) {
        await memory.nodes.insert('ann', [fact], { recordedAt: `2026-01-0${at + 1}T00:00:00Z`, token: `load ${at}` });
      }
      const texts = async (options: object) =>
        (await memory.recall.search('ann', 'where does the user live', options)).map(({ node }) => node.text);
      assert.deepEqual(await texts({}), [PARIS.text]);
      assert.deepEqual(await texts({ from: '2024-06-01' }), [PARIS.text]);
      assert.deepEqual(await texts({ until: '2023-01-05' }), []);
    });
  }
});
