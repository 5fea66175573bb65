import assert from 'node:assert/strict';

import { SqliteVectorStore } from '../../src/adapters/sqlite.js';
import { copySpace } from '../../src/copying.js';
import { EMBEDDING, point, writes } from '../support/points.js';
import { qdrantForTests, type QdrantForTests } from '../support/qdrant.js';

describe('a copy between SQLite and Qdrant', function () {
  this.timeout(120_000);
  let qdrant: QdrantForTests;
  before(async () => void (qdrant = await qdrantForTests()));
  after(() => qdrant.stop());

  it('is the same point for point there, and back again', async () => {
    const [source, there, back] = [
      await SqliteVectorStore.open(':memory:'),
      qdrant.open(),
      await SqliteVectorStore.open(':memory:'),
    ];
    for (const store of [source, there, back]) await store.ensure(EMBEDDING);
    const nodes = Array.from({ length: 300 }, (_, i) =>
      point(
        `node ${i}`,
        {
          kind: 'semantic',
          nodeId: `n${i}`,
          version: 1,
          text: `tea "${i}" \ud800 用户`,
          derivedFrom: [`n${i + 1}`],
          weight: 1 / (i + 1),
        },
        { vector: [1, i, 300 - i, 0.1], text: `tea number ${i}` },
      ),
    );
    const records = Array.from({ length: 40 }, (_, i) =>
      point(`record ${i}`, { kind: 'record', form: 'draft', key: `run/${i}` }),
    );
    await source.upsert('ann', writes(...nodes, ...records));
    const out = await copySpace(source, there, 'ann');
    assert.deepEqual([out.points, out.written, out.differing], [340, 340, 0]);
    assert.equal((await copySpace(source, there, 'ann')).written, 0);
    const home = await copySpace(there, back, 'ann');
    assert.deepEqual([home.points, home.written, home.differing], [340, 340, 0]);
    assert.deepEqual(new Set([...Object.values(out.hashes), ...Object.values(home.hashes)]).size, 1);
    assert.deepEqual(await there.statistics('ann', 'semantic', ['tea']), await source.statistics('ann', 'semantic', ['tea']));
    for (const store of [source, there, back]) await store.close();
  });
});
