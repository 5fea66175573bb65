import assert from 'node:assert/strict';

import { EngraphClient } from '../../src/client.js';
import { openMemory, type OpenMemory } from '../../src/compose.js';
import { temporalClient } from '../../src/temporal.js';
import { environment, startEnvironment, stopEnvironment } from '../support/environment.js';
import { eventually } from '../support/eventually.js';
import { startEngraph, type EngraphProcess } from '../support/worker-process.js';

const DEPLOYMENT = 'engraph';
/** temporal.api.enums.v1.VersioningBehavior: a workflow that moves to the current version by itself. */
const AUTO_UPGRADE = 2;

describe('workers with a version', function () {
  this.timeout(180_000);
  let memory: OpenMemory;
  let engraph: EngraphClient;
  const workers: EngraphProcess[] = [];

  before(async () => {
    await startEnvironment();
    const { config, server, connection } = await environment();
    memory = await openMemory(config);
    const place = { connectionOptions: { address: server.address }, namespace: server.namespace };
    engraph = new EngraphClient({ temporal: temporalClient(config, place, connection), memory });
  });

  after(async () => {
    for (const worker of workers) await worker.kill();
    await memory.close();
    await stopEnvironment();
  });

  async function startVersion(buildId: string): Promise<void> {
    const { config } = await environment();
    const env = { ENGRAPH_HOME: config.home, TEMPORAL_DEPLOYMENT_NAME: DEPLOYMENT, TEMPORAL_WORKER_BUILD_ID: buildId };
    workers.push(await startEngraph('worker', env));
  }

  async function makeCurrent(buildId: string): Promise<void> {
    const { connection, server } = await environment();
    const version = { namespace: server.namespace, deploymentName: DEPLOYMENT, buildId };
    // The server learns of a version by its first poll.
    await eventually(async () => void (await connection.workflowService.setWorkerDeploymentCurrentVersion(version)), 60_000);
  }

  async function versionOf(workflowId: string): Promise<{ buildId?: string | null; behavior?: number | null }> {
    const { connection, server } = await environment();
    const { workflowExecutionInfo } = await connection.workflowService.describeWorkflowExecution({
      ...{ namespace: server.namespace, execution: { workflowId } },
    });
    const { deploymentVersion, behavior } = workflowExecutionInfo?.versioningInfo ?? {};
    return { buildId: deploymentVersion?.buildId ?? null, behavior: behavior ?? null };
  }

  it('take up work when theirs is the current one, and what runs moves on to the next', async () => {
    await startVersion('one');
    await makeCurrent('one');
    const task = await engraph.startTask({ space: 'v', taskId: 'waits', instruction: 'Which tea?', judge: { by: 'human' } });
    await eventually(async () => assert.equal((await task.rounds()).status, 'awaiting_judgement'), 60_000);
    assert.deepEqual(await versionOf('task/v/waits'), { buildId: 'one', behavior: AUTO_UPGRADE });
    await startVersion('two');
    await makeCurrent('two');
    await workers[0]?.stop();
    await task.judge({ success: true });
    assert.equal((await task.result()).outcome, 'succeeded');
    assert.equal((await versionOf('task/v/waits')).buildId, 'two');
  });
});
