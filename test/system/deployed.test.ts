import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { runCommand } from '../../scripts/run-command.js';
import { EngraphClient } from '../../src/client.js';
import { openMemory } from '../../src/compose.js';
import { loadConfig } from '../../src/config.js';
import { freshPayloadKey } from '../../src/setup/payload-keys.js';
import { freePort } from '../../src/setup/ports.js';
import { ensureMiniLm } from '../../src/setup/minilm.js';
import { temporalClient } from '../../src/temporal.js';
import { environment, startEnvironment, stopEnvironment } from '../support/environment.js';
import { eventually } from '../support/eventually.js';
import { learnNotes } from '../support/learned-notes.js';
import { startQdrantEdge, type QdrantEdge } from '../support/qdrant-edge/start.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const CLI = join(root, 'dist/src/cli.js');

describe('the compose file’s commands, from the built package', function () {
  this.timeout(240_000);
  let qdrant: QdrantEdge;
  let folder: string;
  let env: Record<string, string>;

  before(async () => {
    if (!existsSync(CLI)) {
      const built = await runCommand(process.execPath, ['--import', 'tsx', 'scripts/build.ts'], { cwd: root });
      assert.equal(built, 0);
    }
    await startEnvironment();
    qdrant = await startQdrantEdge();
    const { config, server } = await environment();
    folder = await mkdtemp(join(tmpdir(), 'engraph-deployed-'));
    env = {
      ...{ TEMPORAL_ADDRESS: server.address, TEMPORAL_NAMESPACE: server.namespace },
      ...{ QDRANT_URL: qdrant.url, QDRANT_API_KEY: 'q', ENGRAPH_PAYLOAD_KEYS: freshPayloadKey('k') },
      ...{ NODE_ENV: 'production', ENGRAPH_HOME: join(folder, 'home'), ENGRAPH_MODEL_DIR: await ensureMiniLm(config) },
      ENGRAPH_HEALTH_PORT: String(await freePort()),
    };
  });

  after(async () => {
    await qdrant.stop();
    await stopEnvironment();
    await rm(folder, { recursive: true, force: true });
  });

  /** Nothing of this shell but where Node is: an image has nothing else either. */
  const start = (command: string): ChildProcess =>
    spawn(process.execPath, [CLI, command], {
      cwd: folder,
      env: { ...env, PATH: process.env['PATH'], HOME: folder },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  const run = async (command: string): Promise<number | null> => ((await once(start(command), 'exit')) as [number | null])[0];

  it('set up, run a task on Qdrant under encryption, tell their health, and end in order when asked to', async () => {
    assert.equal(await run('setup'), 0);
    assert.equal(await run('health'), 1, 'no worker yet');
    const worker = start('worker');
    const ended = once(worker, 'exit') as Promise<[number | null]>;
    try {
      await eventually(async () => assert.equal(await run('health'), 0), 60_000);
      const config = loadConfig({ ...env, HOME: folder });
      const { server, connection } = await environment();
      const place = { connectionOptions: { address: server.address }, namespace: server.namespace };
      const memory = await openMemory(config);
      try {
        const engraph = new EngraphClient({ temporal: temporalClient(config, place, connection), memory });
        await learnNotes(engraph, 'ops');
        const task = { space: 'ops', taskId: 'tea', instruction: 'Which tea does the user like best?' };
        assert.equal((await engraph.runTask(task)).outcome, 'succeeded');
        assert.deepEqual(await memory.store.spaces(), ['ops']);
      } finally {
        await memory.close();
      }
    } finally {
      worker.kill('SIGTERM');
    }
    assert.deepEqual((await ended)[0], 0);
    assert.equal(await run('health'), 1, 'no worker any more');
  });
});
