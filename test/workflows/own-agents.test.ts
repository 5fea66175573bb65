import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { RulesModel } from '../../src/adapters/rules.js';
import type { EngraphClient } from '../../src/client.js';
import type { TaskResult } from '../../src/domain/refinement.js';
import { environment, startEnvironment, stopEnvironment, withEngraph } from '../support/environment.js';
import { pythonPackages } from '../support/python-packages.js';

const examples = fileURLToPath(new URL('../../examples/', import.meta.url));
const TYPESCRIPT = ['--import', 'tsx', join(examples, 'typescript/agent.ts')];
const HOURS = 'The museum lies by the river.\n\nDoors of the museum open at 9:30, on Mondays at 11:00.\n';

async function runAgent(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  body: () => Promise<void>,
): Promise<void> {
  const { server } = await environment();
  const where = { TEMPORAL_ADDRESS: server.address, TEMPORAL_NAMESPACE: server.namespace };
  const agent: ChildProcess = spawn(command, args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...env, ...where },
  });
  const ended = once(agent, 'exit').then(([code]) => assert.fail(`the agent ended by itself, with exit code ${String(code)}`));
  try {
    await Promise.race([body(), ended]);
  } finally {
    ended.catch(() => {});
    agent.kill('SIGKILL');
  }
}

async function findTime(engraph: EngraphClient, space: string, taskId: string): Promise<TaskResult> {
  await engraph.learn('museum', { document: 'hours.md', title: 'Opening hours', text: HOURS });
  return await engraph.runTask({
    ...{ space, taskId, instruction: 'When do the doors of the museum open?' },
    agent: { taskQueue: 'my-agent', activity: 'findTime' },
    limits: { maxRefinementRounds: 1 },
  });
}

describe('the agent of the examples', function () {
  this.timeout(120_000);
  before(startEnvironment);
  after(stopEnvironment);

  it('finds the time of day in memory and cites it, in TypeScript', async () => {
    await withEngraph({}, async ({ client }) => {
      await runAgent(process.execPath, TYPESCRIPT, {}, async () => {
        const result = await findTime(client, 'museum', 'typescript');
        assert.deepEqual([result.outcome, result.answer, result.executions], ['succeeded', '9:30', 1]);
        const [step] = await client.task('museum', 'typescript').receipt();
        assert.ok(step?.nodes.some((node) => node.cited));
      });
    });
  });

  it('says what it misses where memory is empty, and is asked again after the repair, in TypeScript', async () => {
    await withEngraph({ model: new RulesModel() }, async ({ client }) => {
      await runAgent(process.execPath, TYPESCRIPT, {}, async () => {
        const result = await findTime(client, 'empty', 'typescript');
        assert.deepEqual([result.outcome, result.reason, result.executions], ['failed', 'rounds_exhausted', 2]);
        const { rounds } = await client.task('empty', 'typescript').rounds();
        assert.equal(rounds[0]?.feedback, 'no memory names a time of day');
      });
    });
  });

  it('finds the time of day in memory, in Python', async () => {
    const { config } = await environment();
    const [site = ''] = await pythonPackages(config, ['temporalio']);
    const path = { PYTHONPATH: [site, process.env['PYTHONPATH']].filter(Boolean).join(delimiter) };
    await withEngraph({}, async ({ client }) => {
      await runAgent(config.python, [join(examples, 'python/agent.py')], path, async () => {
        const result = await findTime(client, 'museum', 'python');
        assert.deepEqual([result.outcome, result.answer, result.executions], ['succeeded', '9:30', 1]);
      });
    });
  });
});
