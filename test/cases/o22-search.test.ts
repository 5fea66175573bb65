import assert from 'node:assert/strict';

import { memoryOver } from '../../src/compose.js';
import { InMemoryVectorStore } from '../../src/adapters/in-memory.js';
import { aFact } from '../support/nodes.js';
import { WordEmbedder } from '../support/word-embedder.js';

const T1 = '2026-01-01T00:00:00.000Z';
const T2 = '2026-02-01T00:00:00.000Z';

describe('O22: a fact that is replaced by another', () => {
  it('is not found any more, but for who asks as of a day before', async () => {
    const memory = memoryOver(new InMemoryVectorStore(), new WordEmbedder());
    await memory.store.ensure(memory.embedder.identity);
    const [lisbon, heron] = ['the user lives in Lisbon', 'the user works on project Heron'].map((text) =>
      aFact(text, { validFrom: T1 }),
    );
    assert.ok(lisbon && heron);
    const newer = [
      aFact('the user lives in Porto', { validFrom: T2, edges: { supersedes: [lisbon.id] } }),
      aFact('the user works on project Osprey', { validFrom: T2, edges: { supersedes: [heron.id] } }),
    ];
    await memory.nodes.insert('ann', [lisbon, heron], { recordedAt: T1, token: 't1' });
    await memory.nodes.insert('ann', newer, { recordedAt: T2, token: 't2' });
    const texts = async (options: object) =>
      (await memory.recall.search('ann', 'where does the user live, on what project', options))
        .map(({ node }) => node.text)
        .sort();
    const now = ['the user lives in Porto', 'the user works on project Osprey'];
    assert.deepEqual(await texts({}), now);
    assert.deepEqual(await texts({ asOf: '2026-01-31' }), [lisbon.text, heron.text]);
    await memory.nodes.retire('ann', [lisbon.id, heron.id], { at: T2, token: 'retired' });
    assert.deepEqual(await texts({}), now);
    assert.deepEqual(await texts({ asOf: '2026-01-31' }), [lisbon.text, heron.text]);
  });
});
