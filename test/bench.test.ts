import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const bench = (...args: string[]) =>
  spawnSync(process.execPath, ['--import', 'tsx', 'bench/run.ts', ...args], { cwd: root, encoding: 'utf8' });

describe('npm run bench', function () {
  this.timeout(60_000);

  it('refuses an unknown name, tells those there are, and fails', async () => {
    const { status, stderr } = bench('nonesuch');
    assert.equal(status, 1);
    const names = (await readdir(new URL('../bench/', import.meta.url))).filter(
      (file) => /^[a-z]+\.ts$/.test(file) && file !== 'run.ts',
    );
    assert.ok(names.length > 0);
    for (const name of names) assert.match(stderr, new RegExp(`nonesuch.*\\b${name.slice(0, -3)}\\b`));
  });

  it('runs nothing that is no bench, its own harness least of all', () => {
    assert.equal(bench('run').status, 1);
    assert.equal(bench('../src/cli').status, 1);
  });

  it('needs a name', () => {
    const { status, stderr } = bench();
    assert.equal(status, 1);
    assert.match(stderr, /missing required argument 'name'/);
  });
});
