import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { DatabaseSync } from '@photostructure/sqlite';

import { SqliteVectorStore } from '../../src/adapters/sqlite.js';
import { idOf } from '../../src/domain/id.js';
import { unit } from '../../src/domain/vector.js';
import { eventually } from '../support/eventually.js';
import { EMBEDDING, kind, point, writes } from '../support/points.js';
import { startWriter } from '../support/store-writer.js';
import { describeVectorStore } from './vector-store.js';

describe('SQLite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'engraph-sqlite-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  let files = 0;
  const newFile = () => join(folder, `${files++}.db`);

  describeVectorStore('SqliteVectorStore', () => SqliteVectorStore.open(newFile()));

  it('finds everything again in a file that was closed, with the vectors it was given', async () => {
    const file = newFile();
    const first = await SqliteVectorStore.open(file);
    await first.ensure(EMBEDDING);
    const vector = unit([3, 1, 4, 1]);
    await first.upsert('ann', [{ point: point('a', { kind: 'semantic' }, { vector, text: 'tea' }), expect: 0, token: 't' }]);
    await first.close();
    const again = await SqliteVectorStore.open(file);
    await again.upsert('ann', [{ point: point('a', { n: 2 }), expect: 0, token: 't' }]);
    const [dense, sparse] = await again.search('ann', [
      { dense: vector, limit: 1, with: { vector: true } },
      { sparse: ['tea'], limit: 1 },
    ]);
    const stored = { id: idOf('a'), space: 'ann', revision: 1, payload: { kind: 'semantic' } };
    assert.deepEqual(dense?.[0]?.point, { ...stored, vector: Array.from(Float32Array.from(vector)) });
    assert.deepEqual(sparse?.[0]?.point, stored);
    await again.close();
  });

  it('refuses a file that is no store of its own, by name, and leaves it as it is', async () => {
    const text = newFile();
    writeFileSync(text, 'not a database, but long enough to be taken for the header of one if nobody looks closely at it');
    const foreign = newFile();
    const other = new DatabaseSync(foreign);
    other.exec('create table theirs (a)');
    other.close();
    const newer = newFile();
    await (await SqliteVectorStore.open(newer)).close();
    const later = new DatabaseSync(newer);
    later.exec('pragma user_version = 999');
    later.close();
    for (const file of [text, foreign, newer]) {
      await assert.rejects(
        SqliteVectorStore.open(file),
        (error) => kind('config')(error) && (error as Error).message.includes(file),
      );
    }
    const untouched = new DatabaseSync(foreign);
    assert.deepEqual(untouched.prepare('select name from sqlite_master').all().length, 1);
    untouched.close();
    const folderInPlaceOfFile = newFile();
    mkdirSync(folderInPlaceOfFile);
    await assert.rejects(SqliteVectorStore.open(folderInPlaceOfFile), kind('store_unavailable'));
  });

  it('fails with store_unavailable, to be tried again, when another process writes for longer than it waits', async () => {
    const file = newFile();
    const store = await SqliteVectorStore.open(file, { busyWaitMs: 0 });
    const other = new DatabaseSync(file);
    other.exec('begin immediate');
    await assert.rejects(store.upsert('ann', writes(point('a'))), (error) => {
      return kind('store_unavailable')(error) && (error as { retryable?: boolean }).retryable === true;
    });
    assert.equal(await store.count('ann'), 0);
    other.exec('rollback');
    other.close();
    await store.upsert('ann', writes(point('a')));
    assert.equal(await store.count('ann'), 1);
    await store.close();
  });

  it('waits for another process without stopping the event loop', async () => {
    const file = newFile();
    const store = await SqliteVectorStore.open(file);
    const other = new DatabaseSync(file);
    other.exec('begin immediate');
    let turns = 0;
    const ticking = setInterval(() => (turns += 1), 1);
    const writing = store.upsert('ann', writes(point('a')));
    await eventually(() => assert.ok(turns >= 3));
    other.exec('rollback');
    other.close();
    await writing;
    clearInterval(ticking);
    assert.equal(await store.count('ann'), 1);
    await store.close();
  });

  it('is created once by several processes that start together', async () => {
    const file = newFile();
    const writers = Array.from({ length: 3 }, (_, i) => startWriter(file, { name: `w${i}`, batches: 3 }));
    for (const code of await Promise.all(writers.map((writer) => writer.ended))) assert.equal(code, 0);
    const store = await SqliteVectorStore.open(file);
    assert.equal(await store.count('ann'), 3 * 3 * 20);
    await store.close();
  });

  it('shows a reader what another process writes, whole batches only', async () => {
    const file = newFile();
    const store = await SqliteVectorStore.open(file);
    const writer = startWriter(file, { name: 'w', batches: 1_000_000 });
    try {
      const seen = new Set<number>();
      await eventually(async () => {
        const count = await store.count('ann');
        assert.equal(count % 20, 0);
        seen.add(count);
        assert.ok(seen.size >= 4);
      });
    } finally {
      writer.kill();
      await writer.ended;
    }
    await store.close();
  });

  it('lets exactly one of two processes win each revision of a point', async () => {
    const file = newFile();
    const rivals = ['a', 'b'].map((name) => startWriter(file, { name, batches: 40, rival: true }));
    for (const code of await Promise.all(rivals.map((rival) => rival.ended))) assert.equal(code, 0);
    const wins = rivals.map((rival) => rival.acknowledged());
    const store = await SqliteVectorStore.open(file);
    const [contested] = await store.fetch('ann', [idOf('contested')]);
    assert.equal(contested?.revision, (wins[0] ?? 0) + (wins[1] ?? 0));
    assert.equal(contested.payload['wins'], contested.revision);
    await store.close();
  });

  it('loses no acknowledged batch and keeps no part of one when its process is killed at any moment', async () => {
    const file = newFile();
    for (let round = 0; round < 5; round++) {
      const writer = startWriter(file, { name: `round ${round}`, batches: 1_000_000 });
      await eventually(() => assert.ok(writer.acknowledged() >= 2 + round));
      writer.kill();
      await writer.ended;
      const store = await SqliteVectorStore.open(file);
      const mine = [{ field: 'status', anyOf: [`round ${round}`] }] as const;
      const count = await store.count('ann', mine);
      assert.equal(count % 20, 0);
      assert.ok(count >= writer.acknowledged() * 20, `${count} points of ${writer.acknowledged()} batches`);
      const [[dense = []], [sparse = []]] = [
        await store.search('ann', [{ dense: [1, 0, 0, 0], limit: 4096, filter: mine }]),
        await store.search('ann', [{ sparse: ['tea'], limit: 4096, filter: mine }]),
      ];
      assert.deepEqual([dense.length, sparse.length], [Math.min(count, 4096), Math.min(count, 4096)]);
      assert.equal((await store.statistics('ann', `round ${round}`, ['tea'])).frequency['tea'], count);
      await store.close();
      const database = new DatabaseSync(file, { allowExtension: true });
      assert.deepEqual({ ...(database.prepare('pragma integrity_check').get() as object) }, { integrity_check: 'ok' });
      database.exec("insert into words (words) values ('integrity-check')");
      database.close();
    }
  }).timeout(60_000);
});
