import assert from 'node:assert/strict';

import fc from 'fast-check';

import { InMemoryVectorStore } from '../../src/adapters/in-memory.js';
import { EngraphError } from '../../src/domain/failure.js';
import type { GraphNode } from '../../src/domain/graph.js';
import { dot } from '../../src/domain/vector.js';
import type { StoredPoint, Write } from '../../src/ports/vector-store.js';
import { NodeStore, type NewNode } from '../../src/store/nodes.js';
import { indexedText, nodeOf, pointIdOf, pointOf } from '../../src/store/points.js';
import { aFact, anEpisode, aSkill } from '../support/nodes.js';
import { WordEmbedder } from '../support/word-embedder.js';

const AT = '2026-01-01T00:00:00.000Z';
const LATER = '2026-02-01T00:00:00.000Z';
const SPACE = 'a space';

/** A store that dies before its n-th write, as a killed process would. */
class DyingStore extends InMemoryVectorStore {
  left = Number.POSITIVE_INFINITY;

  override async upsert(space: string, writes: readonly Write[]): Promise<void> {
    if (this.left-- <= 0) throw new EngraphError('store_unavailable', 'killed');
    await super.upsert(space, writes);
  }
}

async function openNodes() {
  const store = new DyingStore();
  const embedder = new WordEmbedder();
  await store.ensure(embedder.identity);
  return { store, embedder, nodes: new NodeStore(store, embedder) };
}

const kind = (expected: string) => (error: unknown) => error instanceof EngraphError && error.kind === expected;
const list = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
};

describe('NodeStore', () => {
  it('gives back what was written, of every kind, in the order asked', async () => {
    const { nodes } = await openNodes();
    const written = [
      aFact('a fact', { metadata: { by: 'us' }, validFrom: '2025-01-01' }),
      anEpisode('a task'),
      aSkill('a skill'),
    ];
    await nodes.insert(SPACE, written, { recordedAt: AT, token: 'one' });
    const ids = written.map(({ id }) => id).reverse();
    const read = await nodes.read(SPACE, [...ids, 'not there', ...ids]);
    assert.deepEqual(read, written.map((node) => ({ ...node, space: SPACE, version: 1, recordedAt: AT })).reverse());
  });

  it('inserts once however often it is told, and refuses what another operation has written', async () => {
    const { nodes, embedder } = await openNodes();
    const fact = aFact('once');
    assert.deepEqual(await nodes.insert(SPACE, [fact], { recordedAt: AT, token: 'one' }), [fact.id]);
    assert.deepEqual(await nodes.insert(SPACE, [fact, aFact('two')], { recordedAt: LATER, token: 'one' }), [aFact('two').id]);
    assert.equal(embedder.texts.length, 2);
    assert.equal((await nodes.read(SPACE, [fact.id]))[0]?.recordedAt, AT);
    await assert.rejects(nodes.insert(SPACE, [fact], { recordedAt: AT, token: 'other' }), kind('version_conflict'));
    await assert.rejects(nodes.insert(SPACE, [fact, fact], { recordedAt: AT, token: 'new' }), kind('validation'));
  });

  it('embeds only what brings no vector', async () => {
    const { nodes, embedder } = await openNodes();
    const [vector = []] = await new WordEmbedder().embed(['elsewhere']);
    await nodes.insert(SPACE, [aFact('own'), { ...aFact('given'), vector }], { recordedAt: AT, token: 'one' });
    assert.deepEqual(embedder.texts, ['own']);
    const stored = await nodes.vectors(SPACE, [aFact('given').id, 'not there']);
    assert.ok(dot(stored.get(aFact('given').id) ?? [], vector) > 0.999);
    assert.equal(stored.size, 1);
  });

  it('brings a retired node back as its next version', async () => {
    const { nodes } = await openNodes();
    const fact = aFact('back');
    await nodes.insert(SPACE, [fact], { recordedAt: AT, token: 'one' });
    await nodes.retire(SPACE, [fact.id], { at: LATER, token: 'gone' });
    await nodes.insert(SPACE, [fact], { recordedAt: '2026-03-01T00:00:00.000Z', token: 'again' });
    assert.equal((await nodes.read(SPACE, [fact.id]))[0]?.version, 2);
    assert.equal((await nodes.read(SPACE, [fact.id], { asOf: AT }))[0]?.version, 1);
    assert.deepEqual(await nodes.read(SPACE, [fact.id], { asOf: LATER }), []);
  });

  it('revises into a new version that keeps id, metadata, edges and source, and is embedded anew (O24)', async () => {
    const { nodes } = await openNodes();
    const source = { conversation: 'c1', turns: ['t1'] };
    const metadata = { category: 'health', source: 'visit-7', importance: 0.9 };
    const seed = aFact('takes 10 mg of the blue pill', {
      metadata,
      source,
      validFrom: '2025-05-05',
      edges: { derivedFrom: ['t1'] },
    });
    await nodes.insert(SPACE, [seed], { recordedAt: AT, token: 'one' });
    const change = { text: 'takes 20 mg of the blue pill', metadata: { importance: 0.5 } };
    const revised = await nodes.revise(SPACE, { nodeId: seed.id, version: 1, change, recordedAt: LATER, token: 'two' });
    assert.deepEqual(await nodes.read(SPACE, [seed.id]), [revised]);
    assert.deepEqual(revised, {
      ...seed,
      ...{ space: SPACE, version: 2, recordedAt: LATER, text: change.text, metadata: { ...metadata, importance: 0.5 } },
    });
    const [wanted = []] = await new WordEmbedder().embed([change.text]);
    assert.ok(dot((await nodes.vectors(SPACE, [seed.id])).get(seed.id) ?? [], wanted) > 0.999);
    const [before] = await nodes.read(SPACE, [seed.id], { asOf: '2026-01-31T23:59:59.999Z' });
    assert.equal(before?.text, seed.text);
    assert.equal((await nodes.read(SPACE, [seed.id], { asOf: LATER }))[0]?.version, 2);
  });

  it('refuses to revise what is not the newest, not there, or retired', async () => {
    const { nodes } = await openNodes();
    const fact = aFact('newest');
    const revise = (version: number, token: string) =>
      nodes.revise(SPACE, { nodeId: fact.id, version, change: { text: token }, recordedAt: LATER, token });
    await assert.rejects(revise(1, 'early'), kind('not_found'));
    await nodes.insert(SPACE, [fact], { recordedAt: AT, token: 'one' });
    await revise(1, 'first');
    await assert.rejects(revise(1, 'second'), (error) => kind('version_conflict')(error) && !(error as EngraphError).retryable);
    await nodes.retire(SPACE, [fact.id], { at: LATER, token: 'gone' });
    await assert.rejects(revise(2, 'third'), kind('version_conflict'));
  });

  for (const writes of [0, 1]) {
    it(`goes on with a revision that was killed after ${writes} of its two writes, with another clock`, async () => {
      const { nodes, store } = await openNodes();
      const fact = aFact('survives');
      await nodes.insert(SPACE, [fact], { recordedAt: AT, token: 'one' });
      const revision = { nodeId: fact.id, version: 1, change: { text: 'survived' }, token: 'two' };
      store.left = writes;
      await assert.rejects(nodes.revise(SPACE, { ...revision, recordedAt: LATER }), kind('store_unavailable'));
      store.left = Number.POSITIVE_INFINITY;

      const meanwhile = await nodes.read(SPACE, [fact.id]);
      assert.deepEqual(
        meanwhile.map(({ text }) => text),
        [writes === 0 ? 'survives' : 'survived'],
      );
      assert.equal((await list(nodes.scan(SPACE))).length, 1);

      for (const recordedAt of ['2026-03-01T00:00:00.000Z', '2026-04-01T00:00:00.000Z']) {
        assert.equal((await nodes.revise(SPACE, { ...revision, recordedAt })).version, 2);
      }
      assert.deepEqual(
        (await nodes.read(SPACE, [fact.id])).map(({ text }) => text),
        ['survived'],
      );
      assert.equal(await nodes.count(SPACE), 1);
      assert.equal(await nodes.count(SPACE, { includeRetired: true }), 2);
    });
  }

  it('retires all versions that a crash left current, once', async () => {
    const { nodes, store } = await openNodes();
    const fact = aFact('two versions');
    await nodes.insert(SPACE, [fact], { recordedAt: AT, token: 'one' });
    store.left = 1;
    const revision = { nodeId: fact.id, version: 1, change: { text: 'second' }, recordedAt: LATER, token: 'two' };
    await assert.rejects(nodes.revise(SPACE, revision), kind('store_unavailable'));
    store.left = Number.POSITIVE_INFINITY;
    await nodes.retire(SPACE, [fact.id], { at: LATER, token: 'gone' });
    await nodes.retire(SPACE, [fact.id], { at: '2027-01-01T00:00:00Z', token: 'gone again' });
    assert.deepEqual(await nodes.read(SPACE, [fact.id]), []);
    const history = await list(nodes.scan(SPACE, { includeRetired: true }));
    assert.deepEqual(
      history.map(({ retiredAt }) => retiredAt),
      [LATER, LATER],
    );
  });

  it('drops what a current node supersedes before the older one says so, and not as of an earlier time', async () => {
    const { nodes } = await openNodes();
    const [old, newer] = [
      aFact('lives in Paris'),
      aFact('lives in Rome', { edges: { supersedes: [aFact('lives in Paris').id] } }),
    ];
    await nodes.insert(SPACE, [old], { recordedAt: AT, token: 'one' });
    await nodes.insert(SPACE, [newer], { recordedAt: LATER, token: 'two' });
    assert.deepEqual(
      (await nodes.read(SPACE, [old.id, newer.id])).map(({ id }) => id),
      [newer.id],
    );
    assert.deepEqual(
      (await nodes.read(SPACE, [old.id, newer.id], { asOf: AT })).map(({ id }) => id),
      [old.id],
    );
    assert.deepEqual(
      (await list(nodes.scan(SPACE))).map(({ id }) => id),
      [newer.id],
    );
  });

  it('lists 237 nodes in pages of 50 to the last, no node twice, and exports them all (O30)', async () => {
    const { nodes } = await openNodes();
    const facts = Array.from({ length: 237 }, (_, n) => aFact(`item ${n + 1} weighs ${1001 + n} grams`));
    await nodes.insert(SPACE, facts, { recordedAt: AT, token: 'one' });
    const pages: GraphNode[][] = [];
    let after: string | undefined;
    do {
      const page = await nodes.page(SPACE, { limit: 50, after });
      pages.push(page.nodes);
      after = page.next;
    } while (after !== undefined);
    assert.deepEqual(
      pages.map(({ length }) => length),
      [50, 50, 50, 50, 37],
    );
    assert.deepEqual(new Set(pages.flat().map(({ text }) => text)), new Set(facts.map(({ text }) => text)));
    assert.equal(await nodes.count(SPACE), 237);
    assert.equal(new Set((await list(nodes.exportSpace(SPACE))).map(({ id }) => id)).size, 237);
  });

  it('exports every version as JSON that says what the node says', async () => {
    const { nodes } = await openNodes();
    const fact = aFact('first');
    await nodes.insert(SPACE, [fact, anEpisode('a task')], { recordedAt: AT, token: 'one' });
    await nodes.revise(SPACE, { nodeId: fact.id, version: 1, change: { text: 'second' }, recordedAt: LATER, token: 'two' });
    const lines = await list(nodes.exportSpace(SPACE));
    assert.deepEqual(JSON.parse(JSON.stringify(lines)), lines);
    assert.deepEqual(lines.map(({ text }) => text).sort(), ['a task', 'first', 'second']);
  });

  it('hashes what the nodes say: not versions, times or order, unless the history is asked for', async () => {
    const [one, other] = [await openNodes(), await openNodes()];
    const facts: NewNode[] = [aFact('a', { edges: { relatesTo: ['x', 'y'] } }), aFact('b'), anEpisode('a task')];
    await one.nodes.insert(SPACE, facts, { recordedAt: AT, token: 'one' });
    const [first, ...rest] = facts.toReversed();
    await other.nodes.insert(SPACE, rest as NewNode[], { recordedAt: LATER, token: 'two' });
    await other.nodes.insert(SPACE, [first as NewNode], { recordedAt: LATER, token: 'three' });
    const hashes = async (options = {}) => [
      await one.nodes.exportHash(SPACE, undefined, options),
      await other.nodes.exportHash(SPACE, undefined, options),
    ];
    const [a, b] = await hashes();
    assert.equal(a, b);
    assert.notEqual(...((await hashes({ history: true })) as [string, string]));
    await other.nodes.revise(SPACE, {
      nodeId: aFact('b').id,
      version: 1,
      change: { text: 'B' },
      recordedAt: LATER,
      token: 'four',
    });
    assert.notEqual(await other.nodes.exportHash(SPACE), a);
    assert.equal(await other.nodes.exportHash(SPACE, ['episodic']), await one.nodes.exportHash(SPACE, ['episodic']));
  });

  it('refuses a time that is none', async () => {
    const { nodes } = await openNodes();
    await assert.rejects(nodes.read(SPACE, ['x'], { asOf: 'yesterday' }), kind('bad_timestamp'));
    await assert.rejects(nodes.insert(SPACE, [aFact('a')], { recordedAt: '31.12.2026', token: 'one' }), kind('bad_timestamp'));
  });

  it('keeps two revisions of one version apart: one wins, the other is told', async () => {
    const { nodes } = await openNodes();
    const fact = aFact('contested');
    await nodes.insert(SPACE, [fact], { recordedAt: AT, token: 'one' });
    const revise = (token: string) =>
      nodes.revise(SPACE, { nodeId: fact.id, version: 1, change: { text: token }, recordedAt: LATER, token });
    const ends = await Promise.allSettled(['a', 'b', 'c'].map(revise));
    assert.equal(ends.filter(({ status }) => status === 'fulfilled').length, 1);
    assert.equal(await nodes.count(SPACE), 1);
  });
});

describe('a node as a point', () => {
  const stored = (point: ReturnType<typeof pointOf>): StoredPoint => ({ ...point, revision: 1 });

  it('is the same node when it is read, whatever its texts', () => {
    const text = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(text, text, fc.array(fc.uuid()), (said, title, ids) => {
        const node = {
          ...aFact(said, { source: { document: title, title, position: 1 }, edges: { relatesTo: ids } }),
          space: SPACE,
          version: 3,
          recordedAt: AT,
        };
        const back = nodeOf(stored(pointOf(node as GraphNode, { vector: [1], writtenBy: 'us' })));
        assert.deepEqual(back, { ...node, edges: ids.length > 0 ? { relatesTo: ids } : {} });
      }),
    );
  });

  it('has an id of its node and version', () => {
    assert.notEqual(pointIdOf('a', 1), pointIdOf('a', 2));
    assert.match(pointIdOf('a', 1), /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u);
  });

  it('is found by what it is about: a chunk by its title, a turn by its speaker, an episode by its trajectory', () => {
    const chunk = { ...aFact('Fast and small.'), form: 'chunk', source: { title: 'commander/Readme.md' } } as const;
    assert.equal(indexedText(chunk), 'commander/Readme.md: Fast and small.');
    assert.equal(indexedText({ ...aFact('Hello'), form: 'turn', speaker: 'Ann' }), 'Ann: Hello');
    assert.match(indexedText(anEpisode('find the knife')), /find the knife\n.*looked/su);
  });

  it('that is none of ours says which field', () => {
    const point = stored(
      pointOf({ ...aSkill('s'), space: SPACE, version: 1, recordedAt: AT } as GraphNode, { vector: [1], writtenBy: 'us' }),
    );
    for (const field of ['kind', 'nodeId', 'version', 'text', 'status']) {
      const broken = { ...point, payload: { ...point.payload, [field]: [] } };
      assert.throws(
        () => nodeOf(broken),
        (error) => kind('validation')(error) && (error as Error).message.includes(field),
      );
    }
  });
});
