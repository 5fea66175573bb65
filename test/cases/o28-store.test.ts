import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { SqliteVectorStore } from '../../src/adapters/sqlite.js';
import { wordsOf } from '../../src/domain/words.js';
import { kind, point, writes } from '../support/points.js';

const SPACES = ['ann', 'ann-lee', 'ann:lee', "o'mira", 'a/b', 'a%2Fb', '用户1'];
const QUERIES = ['number', 'O\'Mira\'s "cat"', '(a OR b)*', '\\', '--', '100%'];

describe('O28: names of spaces and queries that are syntax elsewhere, in the embedded store', () => {
  const folder = mkdtempSync(join(tmpdir(), 'engraph-o28-'));
  let store: SqliteVectorStore;
  after(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });

  before(async () => {
    store = await SqliteVectorStore.open(join(folder, 'memory.db'));
    for (const [n, space] of SPACES.entries())
      await store.upsert(space, writes(point('fact', { key: `${n}` }, { space, text: `my number is ${n}` })));
  });

  it('gives each space its own fact and no other', async () => {
    for (const [n, space] of SPACES.entries()) {
      const [hits = []] = await store.search(space, [{ sparse: wordsOf('number'), limit: 10 }]);
      const all = await store.scan(space, {});
      for (const found of [hits.map((hit) => hit.point), all.points])
        assert.deepEqual(
          found.map(({ payload }) => payload['key']),
          [`${n}`],
        );
    }
  });

  it('raises at no query, in no space', async () => {
    for (const space of SPACES) {
      for (const query of QUERIES) {
        const [hits = []] = await store.search(space, [{ sparse: wordsOf(query), limit: 10 }]);
        assert.equal(hits.length, query === 'number' ? 1 : 0, `${space}: ${query}`);
      }
    }
  });

  it('refuses a name of 300 characters at the first write, so that nothing is accepted and then lost', async () => {
    const space = 'x'.repeat(300);
    await assert.rejects(store.upsert(space, writes(point('fact', {}, { space }))), kind('bad_space'));
    assert.deepEqual(await store.spaces(), [...SPACES].sort());
  });
});
