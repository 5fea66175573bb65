import assert from 'node:assert/strict';

import { idOf } from '../../src/domain/id.js';
import { wordsOf } from '../../src/domain/words.js';
import type { Filter, VectorStore } from '../../src/ports/vector-store.js';
import { kind, point, writes } from '../support/points.js';

/** Names that were seen to break filters and query strings elsewhere (getzep/graphiti#1660, mem0ai/mem0#2474). */
export const ODD_SPACES = [
  'ann',
  'ann-lee',
  'ann:lee',
  "o'mira",
  'a/b',
  'a%2Fb',
  '用户1',
  'Ann',
  ' ann',
  '%',
  '_',
  '"',
  '🔥',
  'constructor',
  'x'.repeat(256),
];
/** Queries that are syntax somewhere. */
export const ODD_QUERIES = [
  'number',
  'O\'Mira\'s "cat"',
  '(a OR b)*',
  '\\',
  '--',
  '100%',
  'NEAR(a b)',
  'body:number',
  '^number',
  'a AND NOT b',
  '"',
  '\u0000',
  '🔥',
];

/** Nothing crosses spaces, and no query is syntax. */
export function describeIsolation(store: () => VectorStore): void {
  it('keeps spaces apart, whatever their names, in every read and write', async () => {
    const everything: Filter = [];
    for (const [i, space] of ODD_SPACES.entries()) {
      await store().upsert(
        space,
        writes(point('same id', { kind: 'semantic', key: `k${i}` }, { space, vector: [1, 0, 0, i], text: `my number is ${i}` })),
      );
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
        assert.deepEqual(
          found?.map(({ payload, space: of }) => [payload['key'], of]),
          [[`k${i}`, space]],
        );
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
