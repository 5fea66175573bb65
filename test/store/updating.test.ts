import assert from 'node:assert/strict';

import type { OpenMemory } from '../../src/compose.js';
import { EngraphError } from '../../src/domain/failure.js';
import { checkUpdate } from '../../src/domain/node-update.js';
import { dot } from '../../src/domain/vector.js';
import { updateNode } from '../../src/store/updating.js';
import { aChunk, remembering } from '../support/builders.js';
import { freshMemory } from '../support/conversations.js';
import { aFact, anEpisode } from '../support/nodes.js';
import { WordEmbedder } from '../support/word-embedder.js';

const SPACE = 'ann';
const FACT = aFact('takes 10 mg of the blue pill', { metadata: { category: 'health', source: 'visit-7', importance: 0.9 } });
const now = () => new Date('2026-03-01T00:00:00Z');
const kind = (expected: string) => (error: unknown) => error instanceof EngraphError && error.kind === expected;

describe('an update of a node', () => {
  let memory: OpenMemory;
  const update = (given: object, key?: string) =>
    updateNode(memory, SPACE, { nodeId: FACT.id, update: checkUpdate(given), key, now });
  beforeEach(async () => {
    memory = await freshMemory();
    await remembering(memory, SPACE, FACT);
  });

  it('keeps the id, merges metadata key by key, and embeds the new text', async () => {
    const node = await update({ text: 'takes 20 mg of the blue pill', metadata: { importance: 0.5 } });
    assert.deepEqual([node.id, node.version, node.recordedAt], [FACT.id, 2, now().toISOString()]);
    assert.deepEqual(node.metadata, { category: 'health', source: 'visit-7', importance: 0.5 });
    const [wanted = []] = await new WordEmbedder().embed(['takes 20 mg of the blue pill']);
    assert.ok(dot((await memory.nodes.vectors(SPACE, [FACT.id])).get(FACT.id) ?? [], wanted) > 0.999);
  });

  it('holds beside others made at once, each of them', async () => {
    await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => update({ metadata: { [name]: 1 } })));
    const [node] = await memory.nodes.read(SPACE, [FACT.id]);
    assert.equal(node?.version, 6);
    assert.deepEqual(node.metadata, { ...FACT.metadata, a: 1, b: 1, c: 1, d: 1, e: 1 });
  });

  it('is made once under its key, whatever came after it', async () => {
    await update({ metadata: { importance: 0.5 } }, 'one');
    await update({ metadata: { importance: 0.7 } }, 'two');
    const node = await update({ metadata: { importance: 0.5 } }, 'one');
    assert.deepEqual([node.version, node.metadata?.['importance']], [3, 0.7]);
  });

  it('makes no version where it changes nothing', async () => {
    assert.equal((await update({ text: FACT.text, metadata: { source: 'visit-7' } })).version, 1);
  });

  it('keeps no secret', async () => {
    const key = `sk-${'a1'.repeat(16)}`;
    const node = await update({ text: `the key is ${key}`, metadata: { note: [`use ${key}`] } });
    assert.ok(!JSON.stringify(node).includes(key));
  });

  it('refuses what says nothing, what it does not know, and what is not there', async () => {
    for (const bad of [{}, { text: ' ' }, { text: 1 }, { metadata: [] }, { txt: 'x' }]) {
      assert.throws(() => checkUpdate(bad), kind('validation'));
    }
    assert.throws(() => checkUpdate({ text: 'x'.repeat(70_000) }), kind('too_large'));
    await assert.rejects(
      updateNode(memory, SPACE, { nodeId: 'nobody', update: { text: 'x' }, now }),
      (error) => kind('not_found')(error) && (error as Error).message.includes('nobody'),
    );
  });

  it("refuses another text for what is not the caller's own, yet takes metadata for a chunk", async () => {
    const [chunk, episode] = [aChunk('Water boils at 100 degrees.'), anEpisode('boil water')];
    await remembering(memory, SPACE, chunk, episode);
    const change = (nodeId: string, given: object) => updateNode(memory, SPACE, { nodeId, update: given, now });
    await assert.rejects(change(chunk.id, { text: 'Water freezes.' }), kind('validation'));
    await assert.rejects(change(episode.id, { metadata: { a: 1 } }), kind('validation'));
    assert.deepEqual((await change(chunk.id, { metadata: { a: 1 } })).metadata, { a: 1 });
  });
});
