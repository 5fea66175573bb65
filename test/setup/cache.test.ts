import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { EngraphError } from '../../src/domain/failure.js';
import { cached, findCached } from '../../src/setup/cache.js';
import type { SetupProgress } from '../../src/setup/progress.js';
import { eventually } from '../support/eventually.js';

const HELLO = createHash('sha256').update('hallo').digest('hex');
const SCRIPT = fileURLToPath(new URL('./fill-cache.ts', import.meta.url));

describe('cached', () => {
  let home: string;
  let cacheDir: string;
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'engraph-cache-'));
    cacheDir = join(home, 'cache');
  });
  afterEach(async () => await rm(home, { recursive: true }));

  const ask = (text: string, told: SetupProgress[] = [], fetches: string[] = []) =>
    cached('thing-1', {
      cacheDir,
      sha256: { file: HELLO },
      wayRound: 'set THING',
      onProgress: (progress) => told.push(progress),
      fetch: async (fresh) => {
        fetches.push(fresh);
        await writeFile(join(fresh, 'file'), text);
      },
    });

  it('fetches once, checks, and then fetches no more', async () => {
    const told: SetupProgress[] = [];
    const fetches: string[] = [];
    const folder = await ask('hallo', told, fetches);
    assert.equal(await readFile(join(folder, 'file'), 'utf8'), 'hallo');
    assert.deepEqual(
      told.map(({ phase }) => phase),
      ['fetching', 'checking', 'ready'],
    );
    assert.equal(await ask('hallo', told, fetches), folder);
    assert.equal(fetches.length, 1);
  });

  it('refuses other bytes than it expects, names the way round, and leaves nothing', async () => {
    await assert.rejects(ask('hullo'), (error: EngraphError) => {
      assert.equal(error.kind, 'config');
      assert.match(error.message, /thing-1 .*file has SHA-256 .* set THING$/);
      return true;
    });
    assert.deepEqual(await readdir(cacheDir), []);
  });

  it('leaves nothing of a fetch that failed, and tries anew when asked again', async () => {
    const broken = cached('thing-1', {
      cacheDir,
      sha256: { file: HELLO },
      wayRound: 'set THING',
      fetch: async (fresh) => {
        await writeFile(join(fresh, 'file'), 'hal');
        throw new Error('the network went away');
      },
    });
    await assert.rejects(broken, /the network went away. Try again, or set THING/);
    assert.deepEqual(await readdir(cacheDir), []);
    await ask('hallo');
  });

  it('notices a file that was changed since, and fetches it anew', async () => {
    const folder = await ask('hallo');
    await writeFile(join(folder, 'file'), 'hullo');
    const fetches: string[] = [];
    await ask('hallo', [], fetches);
    assert.equal(fetches.length, 1);
    assert.equal(await readFile(join(folder, 'file'), 'utf8'), 'hallo');
  });

  it('takes a cache that was copied as it is', async () => {
    const folder = await ask('hallo');
    await utimes(join(folder, 'file'), 1, 1);
    const fetches: string[] = [];
    await ask('hallo', [], fetches);
    assert.equal(fetches.length, 0);
  });

  it('takes over the lock and the leftovers of a process that was killed', async () => {
    await mkdir(join(cacheDir, 'thing-1.part-of-a-dead-process'), { recursive: true });
    await mkdir(join(cacheDir, 'thing-1.lock'));
    await utimes(join(cacheDir, 'thing-1.lock'), 1, 1);
    await ask('hallo');
    assert.deepEqual(await readdir(cacheDir), ['thing-1']);
  });

  it('tells what is there without fetching it', async () => {
    const find = () => findCached('thing-1', { cacheDir, sha256: { file: HELLO } });
    assert.equal(await find(), undefined);
    assert.equal(await ask('hallo'), await find());
  });

  it('fetches once for two processes that start at the same time: the second waits and says so', async () => {
    const go = join(home, 'go');
    const both = [start(), start()];
    const ends = both.map(({ child }) => once(child, 'close')); // from the start: either may end first
    await eventually(() => assert.deepEqual(both.map(({ lines }) => lines[0]).sort(), ['fetching', 'waiting']));
    await writeFile(go, '');
    const folder = join(cacheDir, 'thing-1');
    for (const ended of await Promise.all(ends)) assert.deepEqual(ended, [0, null]);
    for (const { lines } of both) assert.deepEqual(lines.slice(-2), ['ready', folder]);
    assert.equal((await readFile(join(home, 'journal'), 'utf8')).trim().split('\n').length, 1);
    assert.equal(await readFile(join(folder, 'file'), 'utf8'), 'hallo');

    function start(): { child: ChildProcess; lines: string[] } {
      const child = spawn(process.execPath, ['--import', 'tsx', SCRIPT, cacheDir, go, HELLO], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const lines: string[] = [];
      child.stdout.on('data', (chunk: Buffer) => lines.push(...chunk.toString().trim().split('\n')));
      return { child, lines };
    }
  });
});
