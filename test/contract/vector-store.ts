import assert from 'node:assert/strict';

import { EngraphError, type FailureKind } from '../../src/domain/failure.js';
import { idOf } from '../../src/domain/id.js';
import type { JsonObject } from '../../src/domain/json.js';
import { unit } from '../../src/domain/vector.js';
import { countWords, wordsOf } from '../../src/domain/words.js';
import type { EmbeddingIdentity, Filter, Point, VectorStore, Write } from '../../src/ports/vector-store.js';
import { describeFilters } from './vector-store-filters.js';
import { describeVectorSearch } from './vector-store-search.js';

export const EMBEDDING: EmbeddingIdentity = { model: 'test-model', dimension: 4, hash: 'abc' };

/** Opens a new and empty store, not yet told its embedding. */
export type Open = () => Promise<VectorStore>;

/** A point named by a word; `text` gives its terms. */
export function point(name: string, payload: JsonObject = {}, more: { space?: string; vector?: number[]; text?: string } = {}): Point {
  const { space = 'ann', vector, text } = more;
  return { id: idOf(name), space, payload, ...(vector && { vector: unit(vector) }), ...(text !== undefined && { terms: countWords(text) }) };
}

export const writes = (...points: readonly Point[]): Write[] => points.map((one) => ({ point: one }));

/** The failure's kind, whatever store it comes from. */
export const kind = (expected: FailureKind) => (error: unknown) => {
  assert.ok(error instanceof EngraphError, `expected an EngraphError, got ${String(error)}`);
  assert.equal(error.kind, expected, error.message);
  return true;
};

/** What every adapter of the `VectorStore` port must do. */
export function describeVectorStore(name: string, open: Open): void {
  describe(`${name} as a vector store`, () => {
    let store: VectorStore;
    beforeEach(async () => {
      store = await open();
      await store.ensure(EMBEDDING);
    });
    afterEach(() => store.close());

    describeWrites(() => store);
    describeReads(() => store);
    describeStatistics(() => store);
    describeIsolation(() => store);
    describeFilters(() => store);
    describeVectorSearch(() => store);

    it('accepts the same embedding again and refuses another, leaving the points alone', async () => {
      await store.upsert('ann', writes(point('a', {}, { vector: [1, 0, 0, 0] })));
      await store.ensure({ ...EMBEDDING });
      await assert.rejects(store.ensure({ ...EMBEDDING, dimension: 8 }), kind('embedding_dimension'));
      await assert.rejects(store.ensure({ ...EMBEDDING, model: 'other' }), kind('embedding_model'));
      await assert.rejects(store.ensure({ ...EMBEDDING, hash: 'other' }), kind('embedding_model'));
      assert.equal(await store.count('ann'), 1);
    });

    it('stops for a signal that was aborted, with its reason', async () => {
      const signal = AbortSignal.abort(new Error('enough'));
      await assert.rejects(store.upsert('ann', writes(point('a')), { signal }), /enough/u);
      await assert.rejects(store.search('ann', [], { signal }), /enough/u);
      assert.equal(await store.count('ann'), 0);
    });
  });
}

function describeWrites(store: () => VectorStore): void {
  it('counts the writes of a point from 1', async () => {
    await store().upsert('ann', writes(point('a', { n: 1 })));
    await store().upsert('ann', writes(point('a', { n: 2 })));
    assert.deepEqual(await store().fetch('ann', [idOf('a')]), [{ id: idOf('a'), space: 'ann', revision: 2, payload: { n: 2 } }]);
  });

  it('refuses a write that expects another revision', async () => {
    await assert.rejects(store().upsert('ann', [{ point: point('a'), expect: 1, token: 't' }]), kind('version_conflict'));
    await store().upsert('ann', [{ point: point('a'), expect: 0, token: 't1' }]);
    await assert.rejects(store().upsert('ann', [{ point: point('a'), expect: 0, token: 't2' }]), kind('version_conflict'));
    await store().upsert('ann', [{ point: point('a', { n: 2 }), expect: 1, token: 't3' }]);
    await assert.rejects(store().upsert('ann', [{ point: point('a', { n: 3 }), expect: 1, token: 't4' }]), kind('version_conflict'));
    assert.deepEqual((await store().fetch('ann', [idOf('a')]))[0]?.payload, { n: 2 });
  });

  it('takes a repeated token for the same attempt: it succeeds and writes nothing', async () => {
    const write: Write = { point: point('a', { n: 1 }), expect: 0, token: 't' };
    await store().upsert('ann', [write]);
    await store().upsert('ann', [write]);
    await store().upsert('ann', [{ ...write, expect: 7, point: point('a', { n: 2 }) }]);
    assert.deepEqual((await store().fetch('ann', [idOf('a')])).map(({ revision, payload }) => [revision, payload]), [[1, { n: 1 }]]);
  });

  it('forgets a token once the point was written under another', async () => {
    const write: Write = { point: point('a', { n: 1 }), expect: 0, token: 't' };
    await store().upsert('ann', [write]);
    await store().upsert('ann', writes(point('a', { n: 2 })));
    await assert.rejects(store().upsert('ann', [write]), kind('version_conflict'));
  });

  it('lets exactly one of many writers win each revision', async () => {
    for (let revision = 0; revision < 3; revision++) {
      const attempts = Array.from({ length: 8 }, (_, i) =>
        store().upsert('ann', [{ point: point('a', { by: i }), expect: revision, token: `${revision}/${i}` }]),
      );
      const won = (await Promise.allSettled(attempts)).filter(({ status }) => status === 'fulfilled');
      assert.equal(won.length, 1);
    }
  });

  it('writes all of a batch or, when one write is refused, none', async () => {
    await store().upsert('ann', writes(point('old', { n: 1 }, { text: 'first', vector: [1, 0, 0, 0] })));
    const batch = [...writes(point('new', {}, { text: 'second' }), point('old', { n: 2 })), { point: point('gone'), expect: 3, token: 't' }];
    await assert.rejects(store().upsert('ann', batch), kind('version_conflict'));
    assert.equal(await store().count('ann'), 1);
    assert.deepEqual((await store().fetch('ann', [idOf('old')]))[0]?.payload, { n: 1 });
    assert.deepEqual(await store().search('ann', [{ sparse: wordsOf('second'), limit: 5 }]), [[]]);
  });

  it('applies the writes of a batch in their order', async () => {
    await store().upsert('ann', [...writes(point('a', { n: 1 })), { point: point('a', { n: 2 }), expect: 1, token: 't' }]);
    assert.deepEqual((await store().fetch('ann', [idOf('a')])).map(({ revision, payload }) => [revision, payload]), [[2, { n: 2 }]]);
  });

  it('refuses what no store can hold, and then writes nothing', async () => {
    const bad: [FailureKind, Write][] = [
      ['validation', { point: { ...point('a'), id: 'not-a-uuid' } }],
      ['validation', { point: { ...point('a'), id: idOf('a').toUpperCase() } }],
      ['validation', { point: point('a', {}, { space: 'bob' }) }],
      ['validation', { point: point('a'), expect: 0 }],
      ['validation', { point: point('a'), expect: -1, token: 't' }],
      ['validation', { point: { ...point('a'), vector: [1, 1, 1, 1] } }],
      ['validation', { point: { ...point('a'), vector: [Number.NaN, 0, 0, 0] } }],
      ['embedding_dimension', { point: { ...point('a'), vector: [1, 0, 0] } }],
      ['validation', { point: { ...point('a'), terms: { word: 0 } } }],
      ['validation', { point: point('a', { kind: ['semantic'] }) }],
      ['validation', { point: point('a', { status: { nested: 'thing' } }) }],
    ];
    for (const [expected, write] of bad) {
      await assert.rejects(store().upsert('ann', [...writes(point('good')), write]), kind(expected));
    }
    assert.equal(await store().count('ann'), 0);
  });

  it('replaces a point whole: its payload, words and vector', async () => {
    await store().upsert('ann', writes(point('a', { kind: 'semantic', form: 'turn' }, { text: 'green tea', vector: [1, 0, 0, 0] })));
    await store().upsert('ann', writes(point('a', { kind: 'semantic' }, { text: 'black coffee', vector: [0, 1, 0, 0] })));
    const [dense, tea, coffee] = await store().search('ann', [
      { dense: [1, 0, 0, 0], limit: 5 },
      { sparse: ['tea'], limit: 5 },
      { sparse: wordsOf('coffee'), limit: 5 },
    ]);
    assert.deepEqual([Math.round(dense?.[0]?.score ?? 1), tea?.length, coffee?.length], [0, 0, 1]);
    assert.equal(await store().count('ann', [{ field: 'form', absent: false }]), 0);
    await store().upsert('ann', writes(point('a', {})));
    assert.deepEqual(await store().search('ann', [{ dense: [1, 0, 0, 0], limit: 5 }, { sparse: wordsOf('coffee'), limit: 5 }]), [[], []]);
  });

  it('removes points for good and says how many there were', async () => {
    await store().upsert('ann', writes(point('a', {}, { text: 'green tea', vector: [1, 0, 0, 0] }), point('b')));
    assert.equal(await store().remove('ann', [idOf('a'), idOf('a'), idOf('never')]), 1);
    assert.equal(await store().remove('ann', [idOf('a')]), 0);
    assert.equal(await store().remove('nobody', [idOf('b')]), 0);
    assert.equal(await store().count('ann'), 1);
    assert.deepEqual(await store().search('ann', [{ dense: [1, 0, 0, 0], limit: 5 }, { sparse: ['tea'], limit: 5 }]), [[], []]);
    await store().upsert('ann', [{ point: point('a'), expect: 0, token: 't' }]);
    assert.equal((await store().fetch('ann', [idOf('a')]))[0]?.revision, 1);
  });
}

function describeReads(store: () => VectorStore): void {
  it('fetches the points that exist in the order asked, with vector and terms only when asked', async () => {
    const vector = unit([3, 1, 4, 1]);
    await store().upsert('ann', writes(point('a', { n: 1 }, { vector, text: 'tea tea' }), point('b', { n: 2 })));
    const plain = await store().fetch('ann', [idOf('b'), idOf('none'), idOf('a')]);
    assert.deepEqual(plain.map(({ payload }) => payload), [{ n: 2 }, { n: 1 }]);
    assert.deepEqual(Object.keys(plain[1] ?? {}).sort(), ['id', 'payload', 'revision', 'space']);
    const [full] = await store().fetch('ann', [idOf('a')], { vector: true, terms: true });
    assert.deepEqual(full?.vector, Array.from(Float32Array.from(vector)));
    assert.deepEqual({ ...full?.terms }, { tea: 2 });
    assert.equal(full?.terms?.['constructor'], undefined);
  });

  it('keeps every string code unit for code unit, and words that objects have by nature', async () => {
    const payload = JSON.parse(JSON.stringify({ text: 'ab🔥 \u0000 \ud800 用户 "\'\\ ', constructor: 1, toString: [null, true, 1.5] })) as JsonObject;
    const terms = JSON.parse('{"__proto__": 2, "constructor": 1, "hasOwnProperty": 3, "a\\"b": 1}') as Record<string, number>;
    await store().upsert('ann', [{ point: { ...point('a', payload), terms } }]);
    const [read] = await store().fetch('ann', [idOf('a')], { terms: true });
    assert.deepEqual(read?.payload, payload);
    assert.deepEqual(Object.entries(read?.terms ?? {}), Object.entries(terms));
    for (const word of Object.keys(terms)) {
      const [hits] = await store().search('ann', [{ sparse: [word], limit: 5 }]);
      assert.equal(hits?.length, 1, word);
    }
  });

  it('pages through 2,000 points in the order of ids, each exactly once, while others are written', async () => {
    const names = Array.from({ length: 2000 }, (_, i) => `n${i}`);
    await store().upsert('ann', writes(...names.map((name) => point(name, { kind: 'semantic' }))));
    const seen: string[] = [];
    let after: string | undefined;
    let pages = 0;
    do {
      const page = await store().scan('ann', { filter: [{ field: 'kind', anyOf: ['semantic'] }], ...(after && { after }) });
      seen.push(...page.points.map(({ id }) => id));
      await store().upsert('ann', writes(point(`late ${pages}`, { kind: 'semantic' }), point(`other ${pages}`, { kind: 'episodic' })));
      after = page.next;
      pages += 1;
    } while (after !== undefined);
    assert.deepEqual(seen, [...seen].sort());
    assert.equal(new Set(seen).size, seen.length);
    const found = new Set(seen);
    assert.ok(names.every((name) => found.has(idOf(name))));
    assert.equal(pages >= 8, true);
  });

  it('gives no next page after the last point', async () => {
    await store().upsert('ann', writes(point('a'), point('b')));
    assert.equal((await store().scan('ann', { limit: 2 })).next, undefined);
    const first = await store().scan('ann', { limit: 1 });
    assert.equal(first.next, first.points[0]?.id);
    assert.deepEqual(await store().scan('nobody', {}), { points: [] });
  });

  it('refuses limits that are not from 1 to 4,096', async () => {
    for (const limit of [0, -1, 1.5, 4097, Number.NaN]) {
      await assert.rejects(store().search('ann', [{ sparse: ['tea'], limit }]), kind('validation'));
      await assert.rejects(store().scan('ann', { limit }), kind('validation'));
    }
    assert.deepEqual(await store().search('ann', [{ dense: [1, 0, 0, 0], limit: 4096 }]), [[]]);
  });
}

function describeStatistics(store: () => VectorStore): void {
  const words = ['tea', 'constructor', 'none'];
  const of = async () => {
    const { documents, averageLength, frequency } = await store().statistics('ann', 'semantic', words);
    return [documents, averageLength, ...words.map((word) => frequency[word])];
  };

  it('counts documents, lengths and words of the current points of one kind', async () => {
    assert.deepEqual(await of(), [0, 0, 0, 0, 0]);
    await store().upsert(
      'ann',
      writes(
        point('a', { kind: 'semantic' }, { text: 'green tea, green tea' }),
        point('b', { kind: 'semantic' }, { text: 'tea constructor' }),
        point('c', { kind: 'episodic' }, { text: 'tea' }),
        point('d', { kind: 'semantic' }),
      ),
    );
    assert.deepEqual(await of(), [2, 3, 2, 1, 0]);
  });

  it('keeps the counts right when points are retired, replaced and removed', async () => {
    const a = (payload: JsonObject, text: string) => store().upsert('ann', writes(point('a', { kind: 'semantic', ...payload }, { text })));
    await a({}, 'green tea');
    await store().upsert('ann', writes(point('b', { kind: 'semantic' }, { text: 'tea' })));
    await a({ retiredAt: '2026-01-01T00:00:00.000Z' }, 'green tea');
    assert.deepEqual(await of(), [1, 1, 1, 0, 0]);
    await a({ retiredAt: null }, 'constructor of green houses');
    assert.deepEqual(await of(), [2, 2, 1, 1, 0]);
    await a({ kind: 'procedural' }, 'tea');
    assert.deepEqual(await of(), [1, 1, 1, 0, 0]);
    await store().remove('ann', [idOf('a'), idOf('b')]);
    assert.deepEqual(await of(), [0, 0, 0, 0, 0]);
    assert.equal((await store().statistics('ann', 'procedural', ['tea'])).documents, 0);
  });

  it('counts a repeated attempt and a refused batch once and not at all', async () => {
    const write: Write = { point: point('a', { kind: 'semantic' }, { text: 'tea' }), expect: 0, token: 't' };
    await store().upsert('ann', [write]);
    await store().upsert('ann', [write]);
    const refused = [...writes(point('b', { kind: 'semantic' }, { text: 'tea' })), { ...write, token: 'other' }];
    await assert.rejects(store().upsert('ann', refused), kind('version_conflict'));
    assert.deepEqual(await of(), [1, 1, 1, 0, 0]);
  });
}

/** Names that were seen to break filters and query strings elsewhere (getzep/graphiti#1660, mem0ai/mem0#2474). */
export const ODD_SPACES = ['ann', 'ann-lee', 'ann:lee', "o'mira", 'a/b', 'a%2Fb', '用户1', 'Ann', ' ann', '%', '_', '"', '🔥', 'constructor', 'x'.repeat(256)];
export const ODD_QUERIES = ['number', 'O\'Mira\'s "cat"', '(a OR b)*', '\\', '--', '100%', 'NEAR(a b)', 'body:number', '^number', 'a AND NOT b', '"', '\u0000', '🔥'];

function describeIsolation(store: () => VectorStore): void {
  it('keeps spaces apart, whatever their names, in every read and write', async () => {
    const everything: Filter = [];
    for (const [i, space] of ODD_SPACES.entries()) {
      await store().upsert(space, writes(point('same id', { kind: 'semantic', key: `k${i}` }, { space, vector: [1, 0, 0, i], text: `my number is ${i}` })));
    }
    assert.deepEqual(await store().spaces(), [...ODD_SPACES].sort());
    for (const [i, space] of ODD_SPACES.entries()) {
      const [dense, sparse] = await store().search(space, [
        { dense: [1, 0, 0, 0], limit: 50 },
        { sparse: wordsOf('my number'), limit: 50, filter: everything },
      ]);
      const pages = (await store().scan(space, {})).points;
      const fetched = await store().fetch(space, [idOf('same id')]);
      for (const found of [dense?.map((hit) => hit.point), sparse?.map((hit) => hit.point), pages, fetched]) {
        assert.deepEqual(found?.map(({ payload, space: of }) => [payload['key'], of]), [[`k${i}`, space]]);
      }
      assert.equal((await store().statistics(space, 'semantic', ['number'])).documents, 1);
      assert.equal(await store().count(space), 1);
    }
    assert.equal(await store().remove('ann', [idOf('same id')]), 1);
    assert.equal((await store().spaces()).length, ODD_SPACES.length - 1);
    assert.equal(await store().count('ann-lee'), 1);
  });

  it('finds by words whatever a query is made of, and never fails at its signs', async () => {
    await store().upsert('ann', writes(point('a', {}, { text: 'my number is 7 🔥' })));
    for (const query of ODD_QUERIES) {
      const raw = query.split(' ').filter((word) => word !== '');
      const [found, literal] = await store().search('ann', [
        { sparse: wordsOf(query), limit: 5 },
        { sparse: raw, limit: 5 },
      ]);
      assert.equal(found?.length, wordsOf(query).some((word) => ['number', '🔥'].includes(word)) ? 1 : 0, query);
      assert.ok(literal !== undefined && literal.length <= 1);
    }
  });

  it('refuses a space that is none', async () => {
    for (const space of ['', 'x'.repeat(300), 'a\nb', '\ud800']) {
      await assert.rejects(store().upsert(space, writes(point('a', {}, { space }))), kind('bad_space'));
      await assert.rejects(store().count(space), kind('bad_space'));
    }
  });
}
