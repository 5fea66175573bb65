import assert from 'node:assert/strict';

import { InMemoryVectorStore } from '../../src/adapters/in-memory.js';
import { EngraphError } from '../../src/domain/failure.js';
import { hashOf } from '../../src/domain/id.js';
import { dot } from '../../src/domain/vector.js';
import { NodeStore, type NewNode } from '../../src/store/nodes.js';
import { fuseVerified, Recall, type SearchOptions } from '../../src/store/recall.js';
import { aFact, anEpisode, aSkill } from '../support/nodes.js';
import { WordEmbedder } from '../support/word-embedder.js';

const AT = '2026-01-01T00:00:00.000Z';
const LATER = '2026-02-01T00:00:00.000Z';
const SPACE = 'a space';

async function remembering(...nodes: readonly NewNode[]) {
  const store = new InMemoryVectorStore();
  const embedder = new WordEmbedder();
  await store.ensure(embedder.identity);
  const known = new NodeStore(store, embedder);
  await known.insert(SPACE, nodes, { recordedAt: AT, token: 'test' });
  return { store, embedder, nodes: known, recall: new Recall(store, embedder, known) };
}

const facts = (...texts: readonly string[]): NewNode[] => texts.map((text) => aFact(text));
const invalid = (words: RegExp) => (error: unknown) =>
  error instanceof EngraphError && error.kind === 'validation' && words.test(error.message);

describe('Recall', () => {
  it('finds by words and by vectors, gives every candidate both scores, and ranks by their weighted sum', async () => {
    const { recall } = await remembering(...facts('the heron eats fish', 'the fish swims', 'a stone lies there'));
    const found = await recall.search(SPACE, 'what does a heron eat?');
    assert.equal(found[0]?.node.text, 'the heron eats fish');
    assert.ok(found.every(({ score, dense, bm25 }) => score >= 0 && score <= 1 && Number.isFinite(dense) && bm25 >= 0));
    assert.deepEqual(
      found.map(({ bm25 }) => bm25 > 0),
      [true, false, false],
    );
  });

  it('lets words add candidates that the vectors did not nominate, with their exact cosine', async () => {
    const elsewhere = async (text: string) => ({
      ...aFact(text),
      vector: (await new WordEmbedder().embed(['nothing of it']))[0] ?? [],
    });
    const { recall } = await remembering(
      ...facts('zebra one', 'zebra two', 'zebra three'),
      await elsewhere('a rare quagga and a zebra'),
    );
    const found = await recall.search(SPACE, 'zebra quagga', { candidates: 1 });
    const quagga = found.find(({ node }) => node.text.includes('quagga'));
    const [query = [], vector = []] = await new WordEmbedder().embed(['zebra quagga', 'nothing of it']);
    assert.ok(Math.abs((quagga?.dense ?? 9) - dot(query, vector)) < 1e-6);
    assert.ok((quagga?.bm25 ?? 0) > 0);
    const fast = await recall.search(SPACE, 'zebra quagga', { candidates: 1, mode: 'fast' });
    assert.deepEqual(
      fast.map(({ node, bm25 }) => [node.text.includes('quagga'), bm25]),
      [[false, 0]],
    );
  });

  it('finds nothing for a blank query, and by stop words or signs alone does not fail', async () => {
    const { recall } = await remembering(...facts('to be or not to be'));
    for (const query of ['', ' ', '\n\t']) assert.deepEqual(await recall.search(SPACE, query), []);
    for (const query of ['to be', '?!', '(a OR b)*', '"', '--', '\\', '\ud800'])
      assert.equal((await recall.search(SPACE, query)).length, 1);
  });

  it('returns distinct nodes, as many as asked (O30)', async () => {
    const items = Array.from({ length: 237 }, (_, n) => `item ${n + 1} weighs ${1001 + n} grams`);
    const { recall } = await remembering(...facts(...items));
    const found = await recall.search(SPACE, 'item', { limit: 10 });
    assert.equal(new Set(found.map(({ node }) => node.id)).size, 10);
    assert.equal((await recall.search(SPACE, 'item', { limit: 300, candidates: 300 })).length, 237);
  });

  it('gives the same order each time, ties by id', async () => {
    const { recall } = await remembering(
      ...['a', 'b', 'c', 'd'].map((id): NewNode => ({ ...aFact('the same words'), id: hashOf(id) })),
    );
    const [first, second] = [await recall.search(SPACE, 'words'), await recall.search(SPACE, 'words')];
    assert.deepEqual(first, second);
    assert.deepEqual(
      first.map(({ node }) => node.id),
      first.map(({ node }) => node.id).toSorted(),
    );
  });

  it('looks at semantic nodes unless told of other kinds, and at the forms asked for', async () => {
    const { recall } = await remembering(aFact('find the knife'), anEpisode('find the knife'), aSkill('find the knife'));
    const kinds = async (options: SearchOptions) =>
      (await recall.search(SPACE, 'find the knife', options)).map(({ node }) => node.kind).sort();
    assert.deepEqual(await kinds({}), ['semantic']);
    assert.deepEqual(await kinds({ kinds: ['episodic', 'procedural'] }), ['episodic', 'procedural']);
    assert.deepEqual(await kinds({ kinds: ['episodic'], mode: 'fast' }), ['episodic']);
    assert.deepEqual(await kinds({ forms: ['turn'] }), []);
    assert.deepEqual(await kinds({ forms: ['fact'] }), ['semantic']);
  });

  it('leaves out what it is told to', async () => {
    const { recall } = await remembering(...facts('heron one', 'heron two', 'heron three'));
    const found = await recall.search(SPACE, 'heron', { exclude: [aFact('heron one').id, aFact('heron three').id] });
    assert.deepEqual(
      found.map(({ node }) => node.text),
      ['heron two'],
    );
  });

  it('finds what was true as of a time, and nothing that is retired now', async () => {
    const { recall, nodes } = await remembering(...facts('Ann lives in Paris', 'Ann is a baker'));
    const paris = aFact('Ann lives in Paris').id;
    await nodes.revise(SPACE, {
      nodeId: paris,
      version: 1,
      change: { text: 'Ann lives in Rome' },
      recordedAt: LATER,
      token: 'moved',
    });
    await nodes.retire(SPACE, [aFact('Ann is a baker').id], { at: LATER, token: 'stopped' });
    const texts = async (options: SearchOptions) =>
      (await recall.search(SPACE, 'Ann Paris', options)).map(({ node }) => node.text).sort();
    assert.deepEqual(await texts({}), ['Ann lives in Rome']);
    assert.deepEqual(await texts({ asOf: '2026-01-15T00:00:00Z' }), ['Ann is a baker', 'Ann lives in Paris']);
    assert.deepEqual(await texts({ asOf: '2025-12-31T00:00:00Z' }), []);
    await assert.rejects(
      recall.search(SPACE, 'Ann', { asOf: 'last week' }),
      (error) => (error as EngraphError).kind === 'bad_timestamp',
    );
  });

  it('shows a superseded node no more, before it says so itself', async () => {
    const { recall, nodes } = await remembering(...facts('lives in Paris'));
    const newer = aFact('lives in Rome', { edges: { supersedes: [aFact('lives in Paris').id] } });
    await nodes.insert(SPACE, [newer], { recordedAt: LATER, token: 'newer' });
    assert.deepEqual(
      (await recall.search(SPACE, 'lives in Paris')).map(({ node }) => node.text),
      ['lives in Rome'],
    );
  });

  it('refuses what no search can mean', async () => {
    const { recall } = await remembering(...facts('a'));
    const search = (options: object) => recall.search(SPACE, 'a', options as SearchOptions);
    await assert.rejects(search({ mode: 'deep' }), invalid(/"deep".*fast, hybrid/u));
    for (const limit of [0, -1, 1.5, 1001, Number.NaN]) await assert.rejects(search({ limit }), invalid(/limit/u));
    await assert.rejects(search({ candidates: 5000 }), invalid(/candidates/u));
    await assert.rejects(search({ kinds: ['turn'] }), invalid(/turn/u));
    await assert.rejects(search({ weights: { denseWeight: 0, bm25Weight: 0, llmWeight: 0 } }), invalid(/weights/u));
    await assert.rejects(search({ weights: { denseWeight: 0, bm25Weight: 0 } }), invalid(/both 0/u));
    await assert.rejects(search({ asOf: '2026-01-01', trueAt: '2026-01-01' }), invalid(/asOf.*trueAt/u));
    await assert.rejects(search({ weights: { denseWeight: -1 } }), invalid(/denseWeight/u));
    await assert.rejects(recall.search(SPACE, '', { mode: 'deep' } as never), invalid(/deep/u));
  });

  it('asks the vectors for what tells texts apart, where a word is in most of them', async () => {
    const { recall, embedder } = await remembering(
      ...facts(...Array.from({ length: 30 }, (_, n) => `Caroline speaks of subject number${n}`)),
    );
    await recall.search(SPACE, 'When did Caroline speak of number7?');
    assert.equal(embedder.texts.at(-1), 'When did of number7?');
  });

  it('ranks a short list again with the verifier, and refuses weights that weigh nothing', () => {
    const list = [
      { id: 'a', dense: 0.9, bm25: 4, llm: 0, note: 1 },
      { id: 'b', dense: 0.8, bm25: 4, llm: 1, note: 2 },
    ];
    assert.deepEqual(
      fuseVerified(list).map(({ id, note }) => [id, note]),
      [
        ['b', 2],
        ['a', 1],
      ],
    );
    assert.deepEqual(
      fuseVerified(list, { llmWeight: 0 }).map(({ id }) => id),
      ['a', 'b'],
    );
    assert.throws(() => fuseVerified(list, { denseWeight: 0, bm25Weight: 0, llmWeight: 0 }), invalid(/weights/u));
  });
});
