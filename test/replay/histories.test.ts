import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { DeterminismViolationError } from '@temporalio/workflow';
import { bundleWorkflowCode, DefaultLogger, Worker } from '@temporalio/worker';

import { workflowBundle } from '../support/environment.js';
import { PATHS } from './paths.js';

const folder = new URL('./histories/', import.meta.url);

async function recorded(name: string): Promise<{ workflowId: string; history: unknown }> {
  return JSON.parse(await readFile(new URL(`${name}.json`, folder), 'utf8')) as { workflowId: string; history: unknown };
}

describe('recorded histories', () => {
  before('the bundle is made', async function () {
    this.timeout(60_000);
    await workflowBundle();
  });

  it('are one a path of each workflow', async () => {
    const files = (await readdir(folder)).map((file) => file.replace('.json', ''));
    assert.deepEqual(files.sort(), Object.keys(PATHS).sort());
  });

  for (const name of Object.keys(PATHS)) {
    it(`replay on today's code: ${name}`, async () => {
      const { workflowId, history } = await recorded(name);
      await Worker.runReplayHistory({ workflowBundle: await workflowBundle() }, history, workflowId);
    });
  }

  it('do not replay on workflows that do something else', async () => {
    const workflowsPath = fileURLToPath(new URL('./other-workflows.ts', import.meta.url));
    const other = await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('ERROR') });
    const { workflowId, history } = await recorded('task-expand');
    await assert.rejects(Worker.runReplayHistory({ workflowBundle: other }, history, workflowId), DeterminismViolationError);
  });
});
