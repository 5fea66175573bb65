import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { SqliteVectorStore } from '../../src/adapters/sqlite.js';
import { EXIT } from '../../src/cli/exit-codes.js';
import { memoryOver, openEmbedder } from '../../src/compose.js';
import { loadConfig } from '../../src/config.js';
import type { Embedder } from '../../src/ports/embedder.js';
import type { EmbeddingIdentity, VectorStore } from '../../src/ports/vector-store.js';
import { engraph } from '../support/command-line.js';
import { eventually } from '../support/eventually.js';
import { aFact, anEpisode, aSkill } from '../support/nodes.js';
import { EMBEDDING, point, writes } from '../support/points.js';
import { startQdrantEdge } from '../support/qdrant-edge/start.js';
import { bareEnvironment } from '../support/worker-process.js';

const CLI = fileURLToPath(new URL('../../src/cli.ts', import.meta.url));
const POINTS = 6_000;

interface Told {
  readonly ok: boolean;
  readonly spaces: readonly { space: string; points: number; written: number; hashes: { from: string; to: string } }[];
}

describe('engraph copy', function () {
  this.timeout(240_000);
  let folder: string;
  let embedding: Embedder;
  let identity: EmbeddingIdentity;

  before(async () => {
    embedding = await openEmbedder(loadConfig(bareEnvironment()));
    ({ identity } = embedding);
  });
  after(async () => await embedding.close());
  beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'engraph-copy-'))));
  afterEach(async () => await rm(folder, { recursive: true, force: true }));

  const at = (name: string): string => join(folder, `${name}.db`);
  const args = (from: string, to: string): string[] => ['copy', '--from', `sqlite:${at(from)}`, '--to', `sqlite:${at(to)}`];

  async function withStore<T>(name: string, made: EmbeddingIdentity, work: (store: VectorStore) => Promise<T>): Promise<T> {
    const store = await SqliteVectorStore.open(at(name));
    try {
      await store.ensure(made);
      return await work(store);
    } finally {
      await store.close();
    }
  }

  async function fill(name: string, space: string, count: number): Promise<void> {
    await withStore(name, identity, async (store) => {
      for (let from = 0; from < count; from += 500) {
        const some = Array.from({ length: Math.min(500, count - from) }, (_, i) => {
          const vector = Array.from({ length: identity.dimension }, (__, d) => Math.sin((from + i + 1) * (d + 1)));
          return point(`${space} ${from + i}`, { kind: 'record', key: `${from + i}` }, { space, vector, text: `tea ${i}` });
        });
        await store.upsert(space, writes(...some));
      }
    });
  }

  it('goes on after a kill -9 with what was missing, and then has nothing left to do', async () => {
    await fill('from', 'ann', POINTS);
    await fill('from', 'bob', 3);
    await withStore('to', identity, async (target) => {
      const child = spawn(process.execPath, ['--import', 'tsx', CLI, ...args('from', 'to')], {
        env: { ...bareEnvironment(), ENGRAPH_HOME: folder },
        stdio: 'ignore',
      });
      await eventually(async () => assert.ok((await target.count('ann')) > 0), 60_000);
      child.kill('SIGKILL');
      await once(child, 'exit');
    });
    const there = await withStore('to', identity, async (target) => await target.count('ann'));
    assert.ok(there > 0 && there < POINTS, `${there} of ${POINTS} were there`);
    const resumed = JSON.parse((await engraph([...args('from', 'to'), '--json'], { ENGRAPH_HOME: folder })).out) as Told;
    assert.equal(resumed.ok, true);
    assert.deepEqual(
      resumed.spaces.map(({ space, points, written }) => [space, points, written]),
      [
        ['ann', POINTS, POINTS - there],
        ['bob', 3, 3],
      ],
    );
    const again = await engraph(args('from', 'to'), { ENGRAPH_HOME: folder });
    assert.equal(again.out, '2 spaces, 0 points written · all the same on both sides\n');
  });

  it('brings one space, and back to where it came from there is nothing to write', async () => {
    await fill('from', 'ann', 40);
    await fill('from', 'bob', 3);
    const { code, out } = await engraph([...args('from', 'to'), '--space', 'bob', '--json'], { ENGRAPH_HOME: folder });
    assert.equal(code, EXIT.ok);
    assert.deepEqual(
      (JSON.parse(out) as Told).spaces.map(({ space, written }) => [space, written]),
      [['bob', 3]],
    );
    const back = await engraph([...args('to', 'from'), '--json'], { ENGRAPH_HOME: folder });
    assert.deepEqual(
      (JSON.parse(back.out) as Told).spaces.map(({ space, written }) => [space, written]),
      [['bob', 0]],
    );
  });

  it('brings a memory to Qdrant and back, retired versions and records too, the same to the hash', async () => {
    const qdrant = await startQdrantEdge();
    try {
      await fill('from', 'ann', 700);
      await withStore('from', identity, async (store) => {
        const { nodes } = memoryOver(store, embedding);
        const nodesOfAll = [
          aFact('constructor likes tea', { metadata: { weight: 1 / 3 } }),
          anEpisode('find the kettle'),
          aSkill('boil it'),
        ];
        const [fact = ''] = await nodes.insert('ann', nodesOfAll, { recordedAt: '2026-01-01T00:00:00.000Z', token: 'made' });
        await nodes.retire('ann', [fact], { at: '2026-01-02T00:00:00.000Z', token: 'retired' });
        await store.upsert('用户/1', writes(point('r', { kind: 'record', key: 'a/b' }, { space: '用户/1' })));
      });
      const env = { ENGRAPH_HOME: folder };
      const there = await engraph(['copy', '--from', `sqlite:${at('from')}`, '--to', `qdrant:${qdrant.url}`, '--json'], env);
      assert.equal(there.code, EXIT.ok, there.out);
      const back = await engraph(['copy', '--from', `qdrant:${qdrant.url}`, '--to', `sqlite:${at('back')}`, '--json'], env);
      assert.equal(back.code, EXIT.ok, back.out);
      const [told, toldBack] = [there, back].map(({ out }) => JSON.parse(out) as Told);
      assert.deepEqual(toldBack?.spaces, told?.spaces, 'as many points, as many written, the same hashes');
      assert.deepEqual(
        told?.spaces.map(({ space, written }) => [space, written]),
        [
          ['ann', 703],
          ['用户/1', 1],
        ],
      );
      const again = await engraph(['copy', '--from', `sqlite:${at('back')}`, '--to', `qdrant:${qdrant.url}`], env);
      assert.match(again.out, /^2 spaces, 0 points written · all the same/u);
    } finally {
      await qdrant.stop();
    }
  });

  it('ends with 1 where the target has points of its own, until they are removed', async () => {
    await fill('from', 'ann', 5);
    await fill('to', 'ann', 9);
    const left = await engraph(args('from', 'to'), { ENGRAPH_HOME: folder });
    assert.equal(left.code, EXIT.failed);
    assert.match(left.out, /different still: ann/u);
    assert.match(left.err, /4 DIFFER.*--prune/u);
    assert.equal((await engraph([...args('from', 'to'), '--prune'], { ENGRAPH_HOME: folder })).code, EXIT.ok);
  });

  it('refuses a store of another embedding, on either side, and leaves it as it was', async () => {
    await fill('ours', 'ann', 2);
    await withStore('theirs', EMBEDDING, async (store) => await store.upsert('ann', writes(point('a', { kind: 'record' }))));
    for (const [from, to] of [
      ['ours', 'theirs'],
      ['theirs', 'ours'],
    ] as const) {
      const { code, err } = await engraph(args(from, to), { ENGRAPH_HOME: folder });
      assert.equal(code, EXIT.usage);
      assert.match(err, /embedding_dimension.*theirs\.db/u);
    }
    assert.equal(await withStore('theirs', EMBEDDING, async (store) => await store.count('ann')), 1);
  });

  it('says what is wrong with an address, a missing source, and the same store twice', async () => {
    const wrong: readonly [string[], RegExp][] = [
      [['copy', '--from', 'memory.db', '--to', 'sqlite:x'], /--from is "memory\.db".*sqlite:PATH/u],
      [['copy', '--from', 'sqlite:x', '--to', 'redis:y'], /--to is "redis:y"/u],
      [args('none', 'to'), /not_found.*none\.db/u],
      [args('a', 'a'), /both sqlite:.*name two stores/u],
      [['copy', '--from', 'sqlite:x'], /--to/u],
    ];
    for (const [line, says] of wrong) {
      const { code, err } = await engraph(line, { ENGRAPH_HOME: folder });
      assert.notEqual(code, EXIT.ok);
      assert.match(err, says);
    }
  });
});
