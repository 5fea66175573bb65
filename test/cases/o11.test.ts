import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { SqliteVectorStore } from '../../src/adapters/sqlite.js';
import { EMBEDDING, kind, point, writes } from '../support/points.js';

describe('O11: the embedding model is changed under a store that has points', () => {
  const folder = mkdtempSync(join(tmpdir(), 'engraph-o11-'));
  const file = join(folder, 'memory.db');
  after(() => rmSync(folder, { recursive: true, force: true }));

  const message =
    (expected: 'embedding_dimension' | 'embedding_model', ...parts: RegExp[]) =>
    (error: unknown) => {
      kind(expected)(error);
      for (const part of parts) assert.match((error as Error).message, part);
      assert.equal((error as { retryable?: boolean }).retryable, false);
      return true;
    };

  before(async () => {
    const store = await SqliteVectorStore.open(file);
    await store.ensure(EMBEDDING);
    await store.upsert('ann', writes(...['a', 'b', 'c'].map((name) => point(name, {}, { vector: [1, 0, 0, 0] }))));
    await store.close();
  });

  it('refuses vectors of another length, names the file, both lengths and the way out, and leaves the points alone', async () => {
    const store = await SqliteVectorStore.open(file);
    await assert.rejects(
      store.ensure({ model: 'bigger', dimension: 8, hash: 'def' }),
      message('embedding_dimension', /memory\.db/u, /\b4\b/u, /\b8\b/u, /ENGRAPH_STORE/u),
    );
    assert.equal(await store.count('ann'), 3);
    await store.close();
  });

  it('refuses another model of the same length, and other weights of the same name', async () => {
    const store = await SqliteVectorStore.open(file);
    await assert.rejects(
      store.ensure({ ...EMBEDDING, model: 'other-model' }),
      message('embedding_model', /memory\.db/u, /test-model/u, /other-model/u),
    );
    await assert.rejects(
      store.ensure({ ...EMBEDDING, hash: 'xyz' }),
      message('embedding_model', /abc/u, /xyz/u, /ENGRAPH_STORE/u),
    );
    await store.ensure(EMBEDDING);
    assert.equal((await store.search('ann', [{ dense: [1, 0, 0, 0], limit: 5 }]))[0]?.length, 3);
    await store.close();
  });
});
