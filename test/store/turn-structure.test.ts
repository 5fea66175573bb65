import assert from 'node:assert/strict';

import { InMemoryVectorStore } from '../../src/adapters/in-memory.js';
import { SqliteVectorStore } from '../../src/adapters/sqlite.js';
import { idOf } from '../../src/domain/id.js';
import type { VectorStore } from '../../src/ports/vector-store.js';
import { NodeStore, type NewNode } from '../../src/store/nodes.js';
import { Recall, type SearchOptions } from '../../src/store/recall.js';
import { Speakers } from '../../src/store/speakers.js';
import { aFact } from '../support/nodes.js';
import { kind } from '../support/points.js';
import { WordEmbedder } from '../support/word-embedder.js';

const SPACE = 'a space';
const AT = '2026-03-01T00:00:00.000Z';

type Said = readonly [speaker: string, text: string, at?: string];

const turnId = (conversation: string, position: number): string => idOf('test turn', conversation, position);

const turnsOf = (conversation: string, said: readonly Said[]): NewNode[] =>
  said.map(([speaker, text, at], position) => ({
    ...{ id: turnId(conversation, position), kind: 'semantic', form: 'turn', text, speaker, edges: {} },
    source: { conversation, position },
    ...(at !== undefined && { validFrom: at }),
  }));

async function remembering(nodes: readonly NewNode[], store: VectorStore = new InMemoryVectorStore()) {
  const embedder = new WordEmbedder();
  await store.ensure(embedder.identity);
  const known = new NodeStore(store, embedder);
  await known.insert(SPACE, nodes, { recordedAt: AT, token: 'test' });
  await new Speakers(store).add(
    SPACE,
    nodes.flatMap((node) => (node.kind === 'semantic' && node.speaker !== undefined ? [node.speaker] : [])),
  );
  const recall = new Recall(store, embedder, known);
  const texts = async (query: string, options: SearchOptions = {}) =>
    (await recall.search(SPACE, query, options)).map(({ node }) => node.text);
  return { store, embedder, nodes: known, recall, texts };
}

const TALK: readonly Said[] = [
  ['Ann', 'Morning! Did you sleep well?', '2026-01-05T08:00:00.000Z'],
  ['Bo', 'What is the name of your new heron?', '2026-01-05T08:01:00.000Z'],
  ['Ann', 'Oh, that one we call Gustav', '2026-01-05T08:02:00.000Z'],
  ['Bo', 'A fine name', '2026-01-05T08:03:00.000Z'],
  ['Ann', 'The boat is painted green', '2026-02-07T20:00:00.000Z'],
  ['Bo', 'The boat was blue before', '2026-02-07T20:01:00.000Z'],
];

describe('Recall in conversations', () => {
  it('finds the answer beside the question that has its words, though it shares none', async () => {
    const { texts } = await remembering(turnsOf('talk', TALK));
    const found = await texts('name of the new heron', { limit: 3, candidates: 1 });
    assert.ok(found.includes('Oh, that one we call Gustav'), JSON.stringify(found));
    assert.ok(!found.includes('The boat is painted green'), JSON.stringify(found));
  });

  it('asks the vectors without the names of who spoke, and prefers the turns of the one who is named', async () => {
    const { texts, embedder } = await remembering(turnsOf('talk', TALK));
    assert.equal((await texts('What of the boat did Bo say?'))[0], 'The boat was blue before');
    assert.equal(embedder.texts.at(-1), 'What of the boat did say?');
    assert.equal((await texts('What of the boat did Ann say?'))[0], 'The boat is painted green');
    await texts('What of the boat did Bo say?', { mode: 'fast' });
    assert.equal(embedder.texts.at(-1), 'What of the boat did say?');
    await texts('What of the boat did Bo say?', { forms: ['chunk'] });
    assert.equal(embedder.texts.at(-1), 'What of the boat did Bo say?');
  });

  it('embeds what was said, and finds a turn by who said it and on which day', async () => {
    const { texts, embedder } = await remembering(turnsOf('talk', TALK));
    assert.ok(embedder.texts.includes('A fine name'));
    const found = await texts('7 February 2026', { limit: 2 });
    assert.deepEqual(found.toSorted(), ['The boat is painted green', 'The boat was blue before']);
  });

  it('is led by a fact to the turn it was drawn from, and returns only what is asked for', async () => {
    const drawn = aFact('Gustav is a heron that Ann keeps as a pet', { edges: { derivedFrom: [turnId('talk', 2)] } });
    const { texts } = await remembering([...turnsOf('talk', TALK), drawn]);
    const found = await texts('who keeps a pet', { forms: ['turn'], candidates: 1, limit: 1 });
    assert.deepEqual(found, ['Oh, that one we call Gustav']);
    assert.equal((await texts('who keeps a pet'))[0], drawn.text);
    assert.ok(!(await texts('who keeps a pet', { forms: ['fact'] })).includes('Oh, that one we call Gustav'));
  });

  it('leaves chunks and facts the scores that they have without turns, and mixes turns among them', async () => {
    const others = ['the heron eats fish', 'a boat needs paint', 'nothing of it'].map((text) => aFact(text));
    const [alone, mixed] = [await remembering(others), await remembering([...others, ...turnsOf('talk', TALK)])];
    const order = async ({ texts }: typeof alone) =>
      (await texts('boat paint heron')).filter((text) => others.some((fact) => fact.text === text));
    assert.deepEqual(await order(mixed), await order(alone));
    const scores = (await mixed.recall.search(SPACE, 'boat paint heron', { limit: 50 })).map(({ score }) => score);
    assert.deepEqual(
      scores,
      scores.toSorted((a, b) => b - a),
    );
    assert.ok(scores.every((score) => score >= 0 && score <= 1));
    assert.equal(scores.length, others.length + TALK.length);
  });

  it('returns each turn once, with room for limit, and none that is left out, retired or of another space', async () => {
    const { texts, nodes } = await remembering(turnsOf('talk', TALK));
    assert.equal((await texts('heron', { limit: 50 })).length, TALK.length);
    const without = await texts('heron name', { exclude: [turnId('talk', 2)], limit: 50 });
    assert.ok(!without.includes('Oh, that one we call Gustav') && without.length === TALK.length - 1);
    await nodes.retire(SPACE, [turnId('talk', 2)], { at: '2026-04-01T00:00:00.000Z', token: 'gone' });
    assert.ok(!(await texts('heron name', { limit: 50 })).includes('Oh, that one we call Gustav'));
    assert.ok((await texts('heron name', { limit: 50, asOf: '2026-03-02' })).includes('Oh, that one we call Gustav'));
  });

  it('finds within a time what was said then, and facts that held then; what has no time is left out', async () => {
    const facts = [
      aFact('the heron lived in Rome', { validFrom: '2025-01-01T00:00:00.000Z' }),
      { ...aFact('the heron lived in Paris', { validFrom: '2024-01-01T00:00:00.000Z' }), validTo: '2025-01-01T00:00:00.000Z' },
      aFact('the heron is grey'),
    ];
    const { texts } = await remembering([...turnsOf('talk', TALK), ...facts]);
    const within = async (options: SearchOptions) => (await texts('heron boat', { ...options, limit: 50 })).toSorted();
    const [january, february] = [TALK.slice(0, 4), TALK.slice(4)].map((some) => some.map(([, text]) => text));
    assert.deepEqual(
      await within({ from: '2026-01-01', until: '2026-02-01' }),
      ['the heron lived in Rome', ...(january ?? [])].toSorted(),
    );
    assert.deepEqual(await within({ from: '2026-02-01', forms: ['turn'] }), february?.toSorted());
    assert.deepEqual(await within({ until: '2025-06-01' }), ['the heron lived in Paris', 'the heron lived in Rome']);
    assert.deepEqual(await within({ from: '2024-12-31T23:59:59.999Z', until: '2025-01-01' }), ['the heron lived in Paris']);
    assert.deepEqual(await within({ from: '2025-01-01', until: '2025-06-01' }), ['the heron lived in Rome']);
  });

  it('refuses a range of no time, and a time that is none', async () => {
    const { texts } = await remembering(turnsOf('talk', TALK));
    await assert.rejects(texts('heron', { from: '2026-01-01', until: '2026-01-01' }), kind('validation'));
    await assert.rejects(texts('heron', { from: 'yesterday' }), kind('bad_timestamp'));
    await assert.rejects(texts('heron', { until: '5' }), kind('bad_timestamp'));
  });

  it('says the same of both stores', async () => {
    const facts = [aFact('Gustav is a heron', { edges: { derivedFrom: [turnId('talk', 2)] } })];
    const nodes = [...turnsOf('talk', TALK), ...turnsOf('other', TALK.slice(2)), ...facts];
    const sqlite = await SqliteVectorStore.open(':memory:');
    const [one, two] = [await remembering(nodes), await remembering(nodes, sqlite)];
    for (const query of ['name of the heron', 'What did Bo say of the boat?', 'green']) {
      for (const options of [{}, { forms: ['turn' as const] }, { from: '2026-02-01' }, { candidates: 2 }]) {
        const ids = async ({ recall }: typeof one) =>
          (await recall.search(SPACE, query, options)).map(({ node, score }) => [node.id, score.toFixed(4)]);
        assert.deepEqual(await ids(one), await ids(two), `${query} ${JSON.stringify(options)}`);
      }
    }
    await sqlite.close();
  });
});
