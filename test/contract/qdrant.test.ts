import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { QdrantVectorStore } from '../../src/adapters/qdrant.js';
import { idOf } from '../../src/domain/id.js';
import { eventually } from '../support/eventually.js';
import { EMBEDDING, kind, point, writes } from '../support/points.js';
import { newPrefix, qdrantForTests, type QdrantForTests } from '../support/qdrant.js';
import { startQdrantEdge } from '../support/qdrant-edge/start.js';
import { startWriter } from '../support/store-writer.js';
import { describeVectorStore } from './vector-store.js';

describe('Qdrant', function () {
  this.timeout(120_000);
  let qdrant: QdrantForTests;
  before(async () => void (qdrant = await qdrantForTests()));
  after(() => qdrant.stop());

  const opened = async (prefix?: string) => {
    const store = qdrant.open(prefix);
    await store.ensure(EMBEDDING);
    return store;
  };
  const reached = (prefix: string) => ({
    url: qdrant.url,
    ...(qdrant.apiKey !== undefined && { apiKey: qdrant.apiKey }),
    prefix,
  });

  describeVectorStore('QdrantVectorStore', async () => qdrant.open());

  it('asks for its embedding before anything else, and can take what is there without one', async () => {
    const prefix = newPrefix();
    const early = qdrant.open(prefix);
    await assert.rejects(early.count('ann'), kind('validation'));
    await assert.rejects(early.attach(), kind('not_found'));
    const store = await opened(prefix);
    await store.upsert('ann', writes(point('a', {}, { vector: [1, 0, 0, 0] })));
    assert.deepEqual(await early.attach(), EMBEDDING);
    assert.equal(await early.count('ann'), 1);
    await early.close();
    await store.close();
  });

  it('keeps collections of two prefixes apart, of which one begins with the other', async () => {
    const prefix = newPrefix();
    const [one, two] = [await opened(prefix), qdrant.open(`${prefix}-dev`)];
    await two.ensure({ ...EMBEDDING, dimension: 8 });
    await one.upsert('ann', writes(point('a')));
    assert.deepEqual([await one.count('ann'), await two.count('ann')], [1, 0]);
    await one.close();
    await two.close();
  });

  it('lists keys by how they begin, wherever the beginning is cut', async () => {
    const store = await opened();
    const keys = ['run/1', 'run/1/a', 'run/1/b', 'run/10/a', 'run/1\uffff', 'run/1/\uffff', 'run', 'running', 'run:1'];
    await store.upsert('ann', writes(...keys.map((key) => point(key, { key }))));
    for (const start of ['run/1/', 'run/1', 'run/', 'run', 'run:', 'x']) {
      const filter = [{ field: 'key' as const, from: start, below: `${start}\uffff` }];
      const found = (await store.scan('ann', { filter })).points.map(({ payload }) => String(payload['key']));
      assert.deepEqual(found.sort(), keys.filter((key) => key >= start && key < `${start}\uffff`).sort(), start);
    }
    await store.close();
  });

  it('compares times with texts that are none, and none with times, by code unit', async () => {
    const store = await opened();
    const times = ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00Z', '2026-01-01', '', '~', '9999-12-31T23:59:59.999Z'];
    await store.upsert('ann', writes(...times.map((validFrom) => point(validFrom, { validFrom }))));
    for (const from of [...times, '2025', '2026-01-01T00:00:00.001Z', '2026-01-01T00:00:00.000z']) {
      const found = (await store.scan('ann', { filter: [{ field: 'validFrom', from }] })).points;
      const expected = times.filter((time) => time >= from).sort();
      assert.deepEqual(found.map(({ payload }) => String(payload['validFrom'])).sort(), expected, from);
    }
    await store.close();
  });

  it('refuses to put one point in the place of another whose id begins alike', async () => {
    const store = await opened();
    const ids = ['12345678-0000-5000-8000-000000000001', '12345678-0000-5000-8000-000000000002'] as const;
    await store.upsert('ann', [{ point: { id: ids[0], space: 'ann', payload: { n: 1 } } }]);
    await assert.rejects(store.upsert('ann', [{ point: { id: ids[1], space: 'ann', payload: { n: 2 } } }]), kind('validation'));
    assert.deepEqual(
      (await store.fetch('ann', ids)).map(({ payload }) => payload['n']),
      [1],
    );
    await store.close();
  });

  it('lets exactly one of two processes win each revision of a point, and knows a win that was overwritten at once', async () => {
    const prefix = newPrefix();
    const rivals = ['a', 'b'].map((name) => startWriter(reached(prefix), { name, batches: 15, rival: true }));
    for (const code of await Promise.all(rivals.map((rival) => rival.ended))) assert.equal(code, 0);
    const store = await opened(prefix);
    const [contested] = await store.fetch('ann', [idOf('contested')]);
    assert.equal(
      contested?.revision,
      rivals.reduce((sum, rival) => sum + rival.acknowledged(), 0),
    );
    assert.equal(contested.payload['wins'], contested.revision);
    await store.close();
  });

  it('counts every write of two that expect nothing and write at once', async () => {
    const store = await opened();
    const both = Array.from({ length: 12 }, (_, n) => store.upsert('ann', writes(point('a', { n }))));
    await Promise.all(both);
    assert.equal((await store.fetch('ann', [idOf('a')]))[0]?.revision, 12);
    await store.close();
  });
});

describe('Qdrant killed while it is written to', function () {
  this.timeout(120_000);
  let folder: string;
  before(() => void (folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'engraph-killed-'))));
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('loses no acknowledged batch and keeps no part of one', async () => {
    let port = 0;
    for (let round = 0; round < 3; round++) {
      const edge = await startQdrantEdge({ folder, port });
      port = edge.port;
      const at = { url: edge.url, prefix: 'killed' };
      const writer = startWriter(at, { name: `round ${round}`, batches: 1_000_000 });
      await eventually(() => assert.ok(writer.acknowledged() >= 3 + round), 60_000);
      await edge.kill();
      await writer.ended;
      const again = await startQdrantEdge({ folder, port });
      const store = new QdrantVectorStore(at);
      await store.ensure(EMBEDDING);
      const filter = [{ field: 'status' as const, anyOf: [`round ${round}`] }];
      const count = await store.count('ann', filter);
      assert.equal(count % 20, 0);
      assert.ok(count >= writer.acknowledged() * 20, `${count} points of ${writer.acknowledged()} batches`);
      const [dense = [], sparse = []] = await store.search('ann', [
        { dense: [1, 0, 0, 0], limit: 4096, filter },
        { sparse: ['tea'], limit: 4096, filter },
      ]);
      assert.deepEqual([dense.length, sparse.length], [count, count]);
      assert.equal((await store.statistics('ann', `round ${round}`, ['tea'])).frequency['tea'], count);
      await store.close();
      await again.stop();
    }
  });
});
