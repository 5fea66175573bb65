import assert from 'node:assert/strict';

import { EXIT } from '../src/cli/exit-codes.js';
import { askHealth, serveHealth } from '../src/health.js';
import type { WorkerHealth } from '../src/worker.js';
import { engraph } from './support/command-line.js';

describe('the health of a worker', () => {
  const well: WorkerHealth = { healthy: true, queues: { engraph: 'RUNNING' } };
  const stopping: WorkerHealth = { healthy: false, queues: { engraph: 'DRAINING' } };

  it('is told on 127.0.0.1 as it is at each moment, in the status and in the words', async () => {
    let health = well;
    const server = await serveHealth(0, () => health);
    const url = `http://127.0.0.1:${server.port}`;
    try {
      assert.equal((await fetch(`${url}/health`)).status, 200);
      assert.deepEqual(await askHealth(server.port), well);
      health = stopping;
      assert.equal((await fetch(`${url}/health`)).status, 503);
      assert.deepEqual(await askHealth(server.port), stopping);
      assert.equal((await fetch(`${url}/else`)).status, 404);
    } finally {
      await server.close();
    }
  });

  it('is an exit code by `engraph health`: 0 well, 1 not, 1 where no worker answers, 2 where no port is set', async () => {
    let health = well;
    const server = await serveHealth(0, () => health);
    const env = { ENGRAPH_HEALTH_PORT: String(server.port) };
    const said = await engraph(['health'], env);
    assert.deepEqual([said.code, said.out], [EXIT.ok, 'engraph: RUNNING\n']);
    health = stopping;
    assert.equal((await engraph(['health'], env)).code, EXIT.failed);
    await server.close();
    const gone = await engraph(['health'], env);
    assert.equal(gone.code, EXIT.failed);
    assert.match(gone.err, /no worker tells its health at 127\.0\.0\.1/u);
    assert.equal((await engraph(['health'])).code, EXIT.usage);
  });
});
