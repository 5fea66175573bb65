import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

import { loadConfig } from '../../src/config.js';
import { findTemporalCli, isOlder } from '../../src/setup/temporal-cli.js';

describe('findTemporalCli', function () {
  this.timeout(120_000); // it may have to be fetched
  const path = process.env['PATH'];
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'engraph-path-'));
    process.env['PATH'] = `${folder}${delimiter}${path}`;
  });
  after(async () => {
    process.env['PATH'] = path;
    await rm(folder, { recursive: true });
  });

  const install = async (says: string) => {
    await writeFile(join(folder, 'temporal'), `#!/bin/sh\necho '${says}'\n`);
    await chmod(join(folder, 'temporal'), 0o755);
  };

  it('takes the one on PATH', async () => {
    await install('temporal version 1.9.3 (Server 1.32.1, UI 2.55.0)');
    assert.deepEqual(await findTemporalCli(loadConfig()), { path: 'temporal', version: '1.9.3', source: 'path' });
  });

  for (const says of ['temporal version 1.4.9 (Server 1.28.0, UI 2.39.0)', 'something else']) {
    it(`passes over one on PATH that says "${says}"`, async () => {
      await install(says);
      const found = await findTemporalCli(loadConfig());
      assert.notEqual(found.source, 'path');
      assert.ok(!isOlder(found.version, '1.5.1'));
    });
  }
});

describe('isOlder', () => {
  for (const [version, than, expected] of [
    ['1.5.0', '1.5.1', true],
    ['1.5.1', '1.5.1', false],
    ['1.10.0', '1.9.1', false],
    ['0.13.2', '1.5.1', true],
    ['2.0.0', '1.5.1', false],
  ] as const) {
    it(`says ${String(expected)} of ${version} and ${than}`, () => assert.equal(isOlder(version, than), expected));
  }
});
