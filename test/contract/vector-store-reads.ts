import assert from 'node:assert/strict';

import { idOf } from '../../src/domain/id.js';
import type { JsonObject } from '../../src/domain/json.js';
import { unit } from '../../src/domain/vector.js';
import type { VectorStore, Write } from '../../src/ports/vector-store.js';
import { kind, point, writes } from '../support/points.js';

/** What comes back by id, page by page, and as counts. */
export function describeReads(store: () => VectorStore): void {
  it('fetches the points that exist in the order asked, with vector and terms only when asked', async () => {
    const vector = unit([3, 1, 4, 1]);
    await store().upsert('ann', writes(point('a', { n: 1 }, { vector, text: 'tea tea' }), point('b', { n: 2 })));
    const plain = await store().fetch('ann', [idOf('b'), idOf('none'), idOf('a')]);
    assert.deepEqual(
      plain.map(({ payload }) => payload),
      [{ n: 2 }, { n: 1 }],
    );
    assert.deepEqual(Object.keys(plain[1] ?? {}).sort(), ['id', 'payload', 'revision', 'space']);
    const [full] = await store().fetch('ann', [idOf('a')], { vector: true, terms: true });
    assert.deepEqual(full?.vector, Array.from(Float32Array.from(vector)));
    assert.deepEqual({ ...full?.terms }, { tea: 2 });
    assert.equal(full?.terms?.['constructor'], undefined);
  });

  it('keeps every string code unit for code unit, and words that objects have by nature', async () => {
    const payload = JSON.parse(
      JSON.stringify({ text: 'ab🔥 \u0000 \ud800 用户 "\'\\ ', constructor: 1, toString: [null, true, 1.5] }),
    ) as JsonObject;
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
      await store().upsert(
        'ann',
        writes(point(`late ${pages}`, { kind: 'semantic' }), point(`other ${pages}`, { kind: 'episodic' })),
      );
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

/** What BM25 needs to know of a space. */
export function describeStatistics(store: () => VectorStore): void {
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
    const a = (payload: JsonObject, text: string) =>
      store().upsert('ann', writes(point('a', { kind: 'semantic', ...payload }, { text })));
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
