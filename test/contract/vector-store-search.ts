import assert from 'node:assert/strict';

import { idOf } from '../../src/domain/id.js';
import { dot, unit } from '../../src/domain/vector.js';
import { wordsOf } from '../../src/domain/words.js';
import type { SearchQuery, VectorStore } from '../../src/ports/vector-store.js';
import { kind, point, writes } from '../support/points.js';

/** Park and Miller's generator: the same vectors on every machine. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48271) % 2147483647) / 2147483647;
}

/** What the two signals nominate. */
export function describeVectorSearch(store: () => VectorStore): void {
  describe('search', () => {
    it('gives the nearest vectors exactly, by cosine, also under a filter that few points pass', async () => {
      const next = numbers(7);
      const vectors = Array.from({ length: 600 }, () => unit([next() - 0.5, next() - 0.5, next() - 0.5, next() - 0.5]));
      await store().upsert(
        'ann',
        writes(
          ...vectors.map((vector, i) =>
            point(
              `v${i}`,
              { kind: i % 2 ? 'semantic' : 'episodic', status: i % 20 ? 'most' : 'few', document: `d${i}` },
              { vector },
            ),
          ),
        ),
      );
      const query = unit([1, 2, -1, 0.5]);
      const sorted = vectors
        .map((vector, i) => ({ id: idOf(`v${i}`), score: dot(vector, query), i }))
        .sort((a, b) => b.score - a.score);
      const nearest = (keep: (i: number) => boolean) => sorted.filter(({ i }) => keep(i)).slice(0, 25);
      const withoutNearest = (count: number): SearchQuery => ({
        dense: query,
        limit: 25,
        filter: [{ field: 'document', noneOf: sorted.slice(0, count).map(({ i }) => `d${i}`) }],
      });
      const [all, few, semantic, withoutFew, withoutMany] = await store().search('ann', [
        { dense: query, limit: 25 },
        { dense: query, limit: 25, filter: [{ field: 'status', anyOf: ['few'] }] },
        {
          dense: query,
          limit: 25,
          filter: [
            { field: 'kind', anyOf: ['semantic'] },
            { field: 'retiredAt', absent: true },
          ],
        },
        withoutNearest(10),
        withoutNearest(300),
      ]);
      for (const [hits, expected] of [
        [all, nearest(() => true)],
        [few, nearest((i) => i % 20 === 0)],
        [semantic, nearest((i) => i % 2 === 1)],
        [withoutFew, sorted.slice(10, 35)],
        [withoutMany, sorted.slice(300, 325)],
      ] as const) {
        assert.deepEqual(
          hits?.map((hit) => hit.point.id),
          expected.map(({ id }) => id),
        );
        for (const [i, hit] of (hits ?? []).entries()) assert.ok(Math.abs(hit.score - (expected[i]?.score ?? 9)) < 1e-5);
      }
    });

    it('sorts ties by id, also where more points tie than were asked for', async () => {
      const names = Array.from({ length: 200 }, (_, i) => `same ${i}`);
      const same = names.map((name) => point(name, {}, { vector: [1, 1, 0, 0], text: 'the very same tea' }));
      await store().upsert(
        'ann',
        writes(
          ...same,
          point('best', {}, { vector: [1, 0.9, 0, 0], text: 'tea tea' }),
          point('worst', {}, { vector: [0, 0, 1, 0] }),
        ),
      );
      const ids = names.map((name) => idOf(name)).sort();
      const [dense, sparse] = await store().search('ann', [
        { dense: unit([1, 0.9, 0, 0]), limit: 4 },
        { sparse: ['tea'], limit: 4 },
      ]);
      assert.deepEqual(
        dense?.map((hit) => hit.point.id),
        [idOf('best'), ...ids.slice(0, 3)],
      );
      assert.deepEqual(
        sparse?.map((hit) => hit.point.id),
        [idOf('best'), ...ids.slice(0, 3)],
      );
    });

    it('nominates points that have any of the words, rare words before common ones', async () => {
      await store().upsert(
        'ann',
        writes(
          ...Array.from({ length: 9 }, (_, i) => point(`common ${i}`, {}, { text: `tea time ${i}` })),
          point('rare', {}, { text: 'oolong time' }),
          point('plain', {}, { vector: [1, 0, 0, 0] }),
        ),
      );
      const [hits, one, none, empty] = await store().search('ann', [
        { sparse: wordsOf('tea oolong'), limit: 20 },
        { sparse: wordsOf('tea oolong'), limit: 1 },
        { sparse: ['never'], limit: 20 },
        { sparse: [], limit: 20 },
      ]);
      assert.equal(hits?.length, 10);
      assert.equal(hits[0]?.point.id, idOf('rare'));
      assert.ok(hits.every(({ score }) => score > 0));
      assert.deepEqual(
        one?.map((hit) => hit.point.id),
        [idOf('rare')],
      );
      assert.deepEqual([none, empty], [[], []]);
    });

    it('takes a query of two thousand words', async () => {
      await store().upsert('ann', writes(point('a', {}, { text: 'tea' })));
      const sparse = ['tea', ...Array.from({ length: 2000 }, (_, i) => `w${i}`)];
      assert.equal((await store().search('ann', [{ sparse, limit: 5 }]))[0]?.length, 1);
    });

    it('finds Chinese, compounds and emoji by our own words', async () => {
      const texts = ['用户最喜欢的编程语言是Rust', '用户住在杭州西湖附近', '用户对花生过敏', 'express.static serves files 🔥'];
      await store().upsert('ann', writes(...texts.map((text) => point(text, {}, { text }))));
      const ask = async (query: string) =>
        (await store().search('ann', [{ sparse: wordsOf(query), limit: 5 }]))[0]?.map((hit) =>
          texts.findIndex((text) => idOf(text) === hit.point.id),
        );
      assert.deepEqual(await ask('花生过敏'), [2]);
      assert.deepEqual(await ask('西湖'), [1]);
      assert.deepEqual(await ask('rust'), [0]);
      assert.deepEqual(await ask('express.static'), [3]);
      assert.deepEqual(await ask('static'), [3]);
      assert.deepEqual(await ask('🔥'), [3]);
    });

    it('tells words apart by case and sign, as they were written', async () => {
      await store().upsert('ann', [{ point: { ...point('a'), terms: { Tea: 1, 'c++': 1 } } }]);
      const found = await store().search(
        'ann',
        ['Tea', 'tea', 'c++', 'c'].map((word) => ({ sparse: [word], limit: 5 })),
      );
      assert.deepEqual(
        found.map((hits) => hits.length),
        [1, 0, 1, 0],
      );
    });

    it('brings vector and terms along only when asked', async () => {
      await store().upsert('ann', writes(point('a', {}, { vector: [1, 0, 0, 0], text: 'tea' })));
      const [plain, full] = await store().search('ann', [
        { dense: [1, 0, 0, 0], limit: 1 },
        { sparse: ['tea'], limit: 1, with: { vector: true, terms: true } },
      ]);
      assert.deepEqual(plain?.[0]?.point, { id: idOf('a'), space: 'ann', revision: 1, payload: {} });
      assert.deepEqual(full?.[0]?.point.vector, [1, 0, 0, 0]);
      assert.deepEqual({ ...full?.[0]?.point.terms }, { tea: 1 });
    });

    it('refuses a query that no store can answer', async () => {
      const bad: SearchQuery[] = [
        { limit: 5 },
        { dense: [1, 0, 0, 0], sparse: ['tea'], limit: 5 },
        { dense: [1, 1, 0, 0], limit: 5 },
      ];
      for (const query of bad) await assert.rejects(store().search('ann', [query]), kind('validation'));
      await assert.rejects(store().search('ann', [{ dense: [1, 0, 0], limit: 5 }]), kind('embedding_dimension'));
    });
  });
}
