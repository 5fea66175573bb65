import assert from 'node:assert/strict';

import type { FailureKind } from '../../src/domain/failure.js';
import { idOf } from '../../src/domain/id.js';
import { wordsOf } from '../../src/domain/words.js';
import type { VectorStore, Write } from '../../src/ports/vector-store.js';
import { kind, point, writes } from '../support/points.js';

/** What a write does, is refused for, and leaves behind. */
export function describeWrites(store: () => VectorStore): void {
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
    await assert.rejects(
      store().upsert('ann', [{ point: point('a', { n: 3 }), expect: 1, token: 't4' }]),
      kind('version_conflict'),
    );
    assert.deepEqual((await store().fetch('ann', [idOf('a')]))[0]?.payload, { n: 2 });
  });

  it('takes a repeated token for the same attempt: it succeeds and writes nothing', async () => {
    const write: Write = { point: point('a', { n: 1 }), expect: 0, token: 't' };
    await store().upsert('ann', [write]);
    await store().upsert('ann', [write]);
    await store().upsert('ann', [{ ...write, expect: 7, point: point('a', { n: 2 }) }]);
    assert.deepEqual(
      (await store().fetch('ann', [idOf('a')])).map(({ revision, payload }) => [revision, payload]),
      [[1, { n: 1 }]],
    );
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
    const batch = [
      ...writes(point('new', {}, { text: 'second' }), point('old', { n: 2 })),
      { point: point('gone'), expect: 3, token: 't' },
    ];
    await assert.rejects(store().upsert('ann', batch), kind('version_conflict'));
    assert.equal(await store().count('ann'), 1);
    assert.deepEqual((await store().fetch('ann', [idOf('old')]))[0]?.payload, { n: 1 });
    assert.deepEqual(await store().search('ann', [{ sparse: wordsOf('second'), limit: 5 }]), [[]]);
  });

  it('applies the writes of a batch in their order', async () => {
    await store().upsert('ann', [...writes(point('a', { n: 1 })), { point: point('a', { n: 2 }), expect: 1, token: 't' }]);
    assert.deepEqual(
      (await store().fetch('ann', [idOf('a')])).map(({ revision, payload }) => [revision, payload]),
      [[2, { n: 2 }]],
    );
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
    await store().upsert(
      'ann',
      writes(point('a', { kind: 'semantic', form: 'turn' }, { text: 'green tea', vector: [1, 0, 0, 0] })),
    );
    await store().upsert('ann', writes(point('a', { kind: 'semantic' }, { text: 'black coffee', vector: [0, 1, 0, 0] })));
    const [dense, tea, coffee] = await store().search('ann', [
      { dense: [1, 0, 0, 0], limit: 5 },
      { sparse: ['tea'], limit: 5 },
      { sparse: wordsOf('coffee'), limit: 5 },
    ]);
    assert.deepEqual([Math.round(dense?.[0]?.score ?? 1), tea?.length, coffee?.length], [0, 0, 1]);
    assert.equal(await store().count('ann', [{ field: 'form', absent: false }]), 0);
    await store().upsert('ann', writes(point('a', {})));
    assert.deepEqual(
      await store().search('ann', [
        { dense: [1, 0, 0, 0], limit: 5 },
        { sparse: wordsOf('coffee'), limit: 5 },
      ]),
      [[], []],
    );
  });

  it('removes all points that meet a filter, in this space alone, and the whole space for none', async () => {
    const facts = ['a', 'b'].map((name) => point(name, { form: 'fact' }, { text: 'green tea', vector: [1, 0, 0, 0] }));
    await store().upsert('ann', writes(...facts, point('c', { form: 'turn' }, { text: 'green tea', vector: [1, 0, 0, 0] })));
    await store().upsert('bob', writes(point('d', { form: 'fact' }, { space: 'bob' })));
    const ofFacts = { where: [{ field: 'form' as const, anyOf: ['fact'] }] };
    assert.equal(await store().remove('ann', ofFacts), 2);
    assert.equal(await store().remove('ann', ofFacts), 0);
    assert.equal(await store().remove('nobody', ofFacts), 0);
    const [dense, sparse] = await store().search('ann', [
      { dense: [1, 0, 0, 0], limit: 5 },
      { sparse: ['tea'], limit: 5 },
    ]);
    const ids = (hits: typeof dense) => hits?.map((hit) => hit.point.id);
    assert.deepEqual([ids(dense), ids(sparse)], [[idOf('c')], [idOf('c')]]);
    assert.deepEqual([await store().remove('ann', { where: [] }), await store().count('ann')], [1, 0]);
    assert.equal(await store().count('bob'), 1);
  });

  it('removes points for good and says how many there were', async () => {
    await store().upsert('ann', writes(point('a', {}, { text: 'green tea', vector: [1, 0, 0, 0] }), point('b')));
    assert.equal(await store().remove('ann', [idOf('a'), idOf('a'), idOf('never')]), 1);
    assert.equal(await store().remove('ann', [idOf('a')]), 0);
    assert.equal(await store().remove('nobody', [idOf('b')]), 0);
    assert.equal(await store().count('ann'), 1);
    assert.deepEqual(
      await store().search('ann', [
        { dense: [1, 0, 0, 0], limit: 5 },
        { sparse: ['tea'], limit: 5 },
      ]),
      [[], []],
    );
    await store().upsert('ann', [{ point: point('a'), expect: 0, token: 't' }]);
    assert.equal((await store().fetch('ann', [idOf('a')]))[0]?.revision, 1);
  });
}
