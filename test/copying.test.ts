import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { InMemoryVectorStore } from '../src/adapters/in-memory.js';
import { SqliteVectorStore } from '../src/adapters/sqlite.js';
import { copySpace } from '../src/copying.js';
import type { Point, VectorStore, Write } from '../src/ports/vector-store.js';
import { scanAll } from '../src/store/scanning.js';
import { EMBEDDING, kind, point, writes } from './support/points.js';

/** Nodes with words and vectors, retired ones, and plain records, as many as take several pages and batches. */
const points = (count: number, from = 0): Point[] =>
  Array.from({ length: count }, (_, at) => from + at).map((n) =>
    n % 3 === 0
      ? point(`record ${n}`, { kind: 'record', form: 'draft', key: `k${n}`, text: `a "draft"\n用户 🔥 ${n}`, score: n / 7 })
      : point(
          `node ${n}`,
          {
            kind: 'semantic',
            form: 'fact',
            nodeId: `n${n}`,
            version: 1,
            ...(n % 2 === 0 && { retiredAt: '2026-01-01T00:00:00.000Z' }),
          },
          { vector: [1, n, -n / 3, 0.1], text: `constructor tea ${n} __proto__` },
        ),
  );

const STORES: Record<string, (folder: string) => Promise<VectorStore>> = {
  memory: () => Promise.resolve(new InMemoryVectorStore()),
  sqlite: async (folder) => await SqliteVectorStore.open(join(folder, 'copy.db')),
};

for (const [name, open] of Object.entries(STORES)) {
  describe(`copying a space into a store of the kind ${name}`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'engraph-copy-'));
    let [from, to]: VectorStore[] = [];
    const [source, target] = [() => from as VectorStore, () => to as VectorStore];

    beforeEach(async () => {
      from = await SqliteVectorStore.open(join(folder, 'from.db'));
      to = await open(folder);
      await from.ensure(EMBEDDING);
      await to.ensure(EMBEDDING);
    });
    afterEach(async () => {
      await from?.close();
      await to?.close();
      rmSync(folder, { recursive: true, force: true });
    });

    const whole = async (store: VectorStore): Promise<Omit<Point, 'space'>[]> => {
      const all = [];
      for await (const { id, payload, vector, terms } of scanAll(store, 'ann', {
        filter: [],
        with: { vector: true, terms: true },
      }))
        all.push({ id, payload, ...(vector && { vector: vector.map((one) => one.toFixed(5)) }), ...(terms && { terms }) });
      return all as never;
    };

    it('takes every point, with its vector, its words and its payload, and says so by one hash on both sides', async () => {
      await source().upsert('ann', writes(...points(700)));
      const copied = await copySpace(source(), target(), 'ann');
      assert.deepEqual([copied.points, copied.written, copied.differing], [700, 700, 0]);
      assert.equal(copied.hashes.from, copied.hashes.to);
      assert.deepEqual(await whole(target()), await whole(source()));
    });

    it('writes nothing the second time', async () => {
      await source().upsert('ann', writes(...points(300)));
      const first = await copySpace(source(), target(), 'ann');
      const second = await copySpace(source(), target(), 'ann');
      assert.deepEqual(second, { ...first, written: 0 });
    });

    it('writes only what changed and what is new, and a vector that changed alone', async () => {
      const [one, two, ...rest] = points(200);
      await source().upsert('ann', writes(...points(200)));
      await copySpace(source(), target(), 'ann');
      await source().upsert('ann', writes({ ...(two as Point), vector: [0, 1, 0, 0] }, ...points(5, 200)));
      await source().upsert('ann', writes({ ...(one as Point), payload: { kind: 'record', key: 'other' } }));
      const again = await copySpace(source(), target(), 'ann');
      assert.deepEqual([again.points, again.written, again.differing, rest.length], [205, 7, 0, 198]);
      assert.deepEqual(await whole(target()), await whole(source()));
    });

    it('leaves and tells points of the target’s own, or removes them where that is asked for', async () => {
      await source().upsert('ann', writes(...points(150)));
      await target().upsert('ann', writes(...points(20, 1000)));
      const told = await copySpace(source(), target(), 'ann');
      assert.deepEqual([told.written, told.removed, told.differing], [150, 0, 20]);
      assert.notEqual(told.hashes.from, told.hashes.to);
      const pruned = await copySpace(source(), target(), 'ann', { prune: true });
      assert.deepEqual([pruned.written, pruned.removed, pruned.differing], [0, 20, 0]);
      assert.equal(await target().count('ann'), 150);
    });

    it('goes on where it was when the target failed in its midst', async () => {
      await source().upsert('ann', writes(...points(700)));
      const failing = failingAfter(target(), 3);
      await assert.rejects(copySpace(source(), failing, 'ann'), /the target went away/u);
      const there = await target().count('ann');
      assert.ok(there > 0 && there < 700, `${there} written before`);
      const resumed = await copySpace(source(), target(), 'ann');
      assert.deepEqual([resumed.written, resumed.differing], [700 - there, 0]);
    });

    it('copies no other space, and fails for one that is not there', async () => {
      await source().upsert('ann', writes(...points(9)));
      await source().upsert('bob', writes({ ...point('b', { kind: 'record' }), space: 'bob' }));
      await copySpace(source(), target(), 'ann');
      assert.deepEqual(await target().spaces(), ['ann']);
      await assert.rejects(copySpace(source(), target(), 'eve'), kind('not_found'));
    });

    it('is noticed as untrue when somebody writes to the source meanwhile', async () => {
      await source().upsert('ann', writes(...points(300)));
      let done = false;
      const copied = await copySpace(
        source(),
        meddled(target(), async () => {
          if (!done) await source().upsert('ann', writes(point('record 0', { kind: 'record', key: 'late' })));
          done = true;
        }),
        'ann',
      );
      assert.equal(copied.differing, 1);
    });
  });
}

/** A target that takes so many batches and then is gone. */
const failingAfter = (store: VectorStore, batches: number): VectorStore => {
  let left = batches;
  return meddled(store, () => (left-- > 0 ? Promise.resolve() : Promise.reject(new Error('the target went away'))));
};

/** A store that does something else before each write. */
function meddled(store: VectorStore, before: () => Promise<void>): VectorStore {
  return Object.assign(Object.create(store) as VectorStore, {
    ...Object.fromEntries(
      (['scan', 'count', 'remove', 'spaces', 'fetch'] as const).map((name) => [name, (store[name] as () => unknown).bind(store)]),
    ),
    upsert: async (space: string, some: readonly Write[]) => {
      await before();
      await store.upsert(space, some);
    },
  });
}
