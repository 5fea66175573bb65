import assert from 'node:assert/strict';

import { InMemoryVectorStore } from '../../src/adapters/in-memory.js';
import { chunkText } from '../../src/domain/chunk.js';
import { memoryOver } from '../../src/compose.js';
import { aFact } from '../support/nodes.js';
import { WordEmbedder } from '../support/word-embedder.js';

/** Any fixed cut splits a pair of surrogates in one of these. */
const TEXTS = ['', 'x', 'xx', 'xxx'].map((before) => before + 'ab🔥'.repeat(3000));

describe('O14: text cut between two surrogates', () => {
  it('is never made: every text that is embedded is well-formed, and what is exported is what came', async () => {
    const embedder = new WordEmbedder();
    const memory = memoryOver(new InMemoryVectorStore(), embedder);
    await memory.store.ensure(embedder.identity);
    const chunks = TEXTS.flatMap((text) => chunkText(text).map((chunk) => chunk.text));
    const nodes = [...TEXTS, ...new Set(chunks), 'broken \ud83d end'].map((text) => aFact(text));
    await memory.nodes.insert('fire', nodes, { recordedAt: '2026-01-01T00:00:00Z', token: 'test' });

    const found = await memory.recall.search('fire', '🔥', { limit: 50 });
    assert.ok(found.length >= TEXTS.length && found.every(({ bm25 }, at) => at >= TEXTS.length || bm25 > 0));
    await memory.recall.search('fire', 'half a fire \ud83d');
    assert.ok(embedder.texts.every((text) => text.isWellFormed()));

    const exported = new Set<unknown>();
    for await (const { text } of memory.nodes.exportSpace('fire')) exported.add(text);
    for (const text of TEXTS) assert.ok(exported.has(text));
  });
});
