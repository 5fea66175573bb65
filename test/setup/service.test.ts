import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { EngraphError } from '../../src/domain/failure.js';
import { accepts } from '../../src/setup/ports.js';
import { identityOf } from '../../src/setup/process.js';
import { endService } from '../../src/setup/service.js';
import { eventually } from '../support/eventually.js';
import { echoService } from './echo-service.js';

const HOLDER = fileURLToPath(new URL('./hold-service.ts', import.meta.url));

describe('runService', () => {
  let home: string;
  beforeEach(async () => (home = await mkdtemp(join(tmpdir(), 'engraph-service-'))));
  afterEach(async () => {
    await endService(home, 'echo');
    await rm(home, { recursive: true });
  });

  it('starts it once and finds it after that; only its owner stops it', async () => {
    const owner = await echoService(home);
    const guest = await echoService(home);
    assert.deepEqual([owner.owned, guest.owned, guest.pid], [true, false, owner.pid]);
    await guest.stop();
    assert.ok(await accepts(owner.details.port));
    await owner.stop();
    assert.equal(await identityOf(owner.pid), undefined);
    await owner.stop();
  });

  it('ends with the process that started it, even when that is killed', async () => {
    const pid = await startedByAnother('attached');
    await eventually(async () => assert.equal(await identityOf(pid), undefined));
  });

  it('outlives the process that started it when it is detached', async () => {
    const pid = await startedByAnother('detached');
    const found = await echoService(home);
    assert.deepEqual([found.owned, found.pid], [false, pid]);
    assert.equal(await endService(home, 'echo'), true);
    assert.equal(await identityOf(pid), undefined);
  });

  it('does not take another process that got the same number for the service', async () => {
    const state = { pid: process.pid, identity: 'of a process long ago', details: { port: 9 } };
    await writeFile(join(home, 'echo.json'), JSON.stringify(state));
    const service = await echoService(home);
    assert.equal(service.owned, true);
    await service.stop();
  });

  it('tells the end of its log when it does not start', async () => {
    const code = "console.error('the disk is full'); process.exit(1)";
    await assert.rejects(echoService(home, { code }), (error: EngraphError) => {
      assert.equal(error.kind, 'temporal_unavailable');
      assert.match(error.message, /echo did not start \(.*echo\.log\): the disk is full/);
      return true;
    });
  });

  async function startedByAnother(how: string): Promise<number> {
    const holder = spawn(process.execPath, ['--import', 'tsx', HOLDER, home, how], { stdio: ['pipe', 'pipe', 'inherit'] });
    const [line] = (await once(holder.stdout, 'data')) as [Buffer];
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    return Number(line.toString());
  }
});
