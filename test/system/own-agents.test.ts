import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { Client, type Connection } from '@temporalio/client';

import { EngraphClient } from '../../src/client.js';
import { openMemory, type OpenMemory } from '../../src/compose.js';
import { loadConfig, type Config } from '../../src/config.js';
import { cached } from '../../src/setup/cache.js';
import { pipInstall } from '../../src/setup/pip.js';
import { connectClient, findTemporal, type TemporalPlace } from '../../src/temporal.js';
import { startWorker, type RunningWorker } from '../../src/worker.js';

const examples = fileURLToPath(new URL('../../examples/', import.meta.url));
const HOURS = 'The museum lies by the river.\n\nDoors of the museum open at 9:30, on Mondays at 11:00.\n';
const TEMPORALIO = ['temporalio==1.35.0', 'nexus-rpc==1.4.0', 'protobuf==7.36.2', 'typing-extensions==4.16.0'];
const TEMPORALIO_FILES = { 'temporalio/envconfig.py': 'ea98950c079e8a96d8e7b3b9b7606de18bfa3ab6fe7c42dc4a4a7f18fc230803' };

describe('the agents of the examples', function () {
  this.timeout(180_000);
  let home: string;
  let config: Config;
  let place: TemporalPlace;
  let connection: Connection;
  let memory: OpenMemory;
  let worker: RunningWorker;
  let engraph: EngraphClient;
  let agent: ChildProcess | undefined;

  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'engraph-agents-'));
    config = loadConfig(process.env, { ENGRAPH_HOME: home, ENGRAPH_LLM: 'rules' });
    place = await findTemporal(config);
    connection = await connectClient(place);
    memory = await openMemory(config);
    worker = await startWorker(config, place);
    engraph = new EngraphClient({ temporal: new Client({ connection, namespace: place.namespace }), memory });
    await engraph.learn('museum', { name: 'hours.md', title: 'Opening hours', text: HOURS });
  });

  afterEach(async () => {
    if (agent === undefined || agent.exitCode !== null || agent.signalCode !== null) return;
    const gone = once(agent, 'exit');
    agent.kill('SIGKILL');
    await gone;
  });

  after(async () => {
    await worker.stop();
    await memory.close();
    await connection.close();
    await place.devServer?.stop();
    await rm(home, { recursive: true, force: true });
  });

  const start = (command: string, args: string[], env: NodeJS.ProcessEnv = {}): void => {
    const { address } = place.connectionOptions;
    const where = { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: place.namespace };
    agent = spawn(command, args, { stdio: 'inherit', env: { ...process.env, ...where, ...env } });
  };

  const findTime = async (space: string, taskId: string) =>
    await engraph.runTask({
      ...{ space, taskId, instruction: 'When do the doors of the museum open?' },
      agent: { taskQueue: 'my-agent', activity: 'findTime' },
      limits: { maxRefinementRounds: 1 },
    });

  it('find the time of day in memory and cite it, in TypeScript', async () => {
    start(process.execPath, ['--import', 'tsx', join(examples, 'typescript/agent.ts')]);
    const result = await findTime('museum', 'typescript');
    assert.deepEqual([result.outcome, result.answer, result.executions], ['succeeded', '9:30', 1]);
    const [step] = await engraph.task('museum', 'typescript').receipt();
    assert.ok(
      step?.nodes.some((node) => node.cited),
      'the memory that held the time is marked as cited',
    );
  });

  it('say what they miss where memory is empty, and are asked again after the repair, in TypeScript', async () => {
    start(process.execPath, ['--import', 'tsx', join(examples, 'typescript/agent.ts')]);
    const result = await findTime('empty', 'typescript');
    assert.deepEqual([result.outcome, result.reason, result.executions], ['failed', 'rounds_exhausted', 2]);
    const { rounds } = await engraph.task('empty', 'typescript').rounds();
    assert.equal(rounds[0]?.feedback, 'no memory names a time of day');
  });

  it('find the time of day in memory, in Python', async () => {
    const site = await cached('python-temporalio-1.35.0', {
      cacheDir: config.cache,
      sha256: TEMPORALIO_FILES,
      fetch: async (folder) => await pipInstall(TEMPORALIO, folder, { python: config.python }),
      wayRound: 'see that pip reaches its registry',
    });
    start(config.python, [join(examples, 'python/agent.py')], {
      PYTHONPATH: [site, process.env['PYTHONPATH']].filter(Boolean).join(delimiter),
    });
    const result = await findTime('museum', 'python');
    assert.deepEqual([result.outcome, result.answer, result.executions], ['succeeded', '9:30', 1]);
  });
});
