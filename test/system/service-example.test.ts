import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const example = fileURLToPath(new URL('../../examples/typescript/service.ts', import.meta.url));

describe('the service of the examples', function () {
  this.timeout(180_000);
  let home: string;

  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'engraph-service-'));
  });

  after(async () => {
    await rm(home, { recursive: true, force: true });
  });

  it('learns, runs a task and searches; run again, it finds the task done and says the same', async () => {
    const { TEMPORAL_ADDRESS: _server, ...rest } = process.env;
    const env = { ...rest, ENGRAPH_HOME: home, ENGRAPH_LLM: 'rules' };
    const first = await run(process.execPath, ['--import', 'tsx', example], { env });
    assert.match(first.stdout, /outcome: 'succeeded'/);
    assert.match(first.stdout, /answer: '.*8443.*'/);
    assert.match(first.stdout, /models: \[ 'rules \(no LLM\)' \]/);
    assert.match(first.stdout, /semantic .*dana@example\.org/);
    const again = await run(process.execPath, ['--import', 'tsx', example], { env });
    assert.equal(again.stdout, first.stdout);
  });
});
