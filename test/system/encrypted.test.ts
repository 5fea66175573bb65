import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import type { Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import proto from '@temporalio/proto';
import { bundleWorkflowCode, DefaultLogger, Worker } from '@temporalio/worker';

import { EngraphClient } from '../../src/client.js';
import { EncryptingCodec } from '../../src/codec.js';
import { serveCodec } from '../../src/codec-server.js';
import { openMemory, type OpenMemory } from '../../src/compose.js';
import type { Config } from '../../src/config.js';
import { dataConverterOf, ENCODED_FAILURES } from '../../src/data-converter.js';
import type { ExecuteInput, ExecuteOutcome } from '../../src/domain/agent.js';
import { freshPayloadKey, readPayloadKeys } from '../../src/setup/payload-keys.js';
import { findTemporalCli } from '../../src/setup/temporal-cli.js';
import { temporalClient } from '../../src/temporal.js';
import { environment, startEnvironment, stopEnvironment } from '../support/environment.js';
import { eventually } from '../support/eventually.js';
import { learnNotes } from '../support/learned-notes.js';
import { says } from '../support/saying.js';
import { startEngraph, type EngraphProcess } from '../support/worker-process.js';

const SPACE = 'sealed';
const AGENT = { taskQueue: 'sealed-agents', activity: 'execute' };
const WORKFLOWS = fileURLToPath(new URL('../../workflows/index.ts', import.meta.url));
/** What is said, answered and complained of: none of it may be in what the server holds. */
const WORDS = ['ferret', 'Ferdinand', 'oolong', 'Doors open', 'bitten by the agent', 'no name in there', 'Which tea'];

const [FIRST, SECOND] = [freshPayloadKey('first'), freshPayloadKey('second')];

describe('payload encryption, on a real server', function () {
  this.timeout(240_000);
  let memory: OpenMemory;
  let temporal: Client;
  let engraph: EngraphClient;
  let agents: Worker;
  let working: Promise<void>;
  let worker: EngraphProcess;
  let home: string;

  const withKeys = (config: Config, keys: string): Config => {
    const payloadKeys = readPayloadKeys(keys, undefined);
    return { ...config, ...(payloadKeys && { payloadKeys }) };
  };
  const openClient = async (keys?: string): Promise<{ temporal: Client; engraph: EngraphClient }> => {
    const { config, server, connection } = await environment();
    const place = { connectionOptions: { address: server.address }, namespace: server.namespace };
    const client = temporalClient(keys === undefined ? config : withKeys(config, keys), place, connection);
    return { temporal: client, engraph: new EngraphClient({ temporal: client, memory }) };
  };
  const startWorker = async (keys: string): Promise<EngraphProcess> =>
    await startEngraph('worker', { ENGRAPH_HOME: home, ENGRAPH_PAYLOAD_KEYS: keys });

  before(async () => {
    await startEnvironment();
    const { config, server, worker: native } = await environment();
    home = config.home;
    memory = await openMemory(config);
    ({ temporal, engraph } = await openClient(FIRST));
    agents = await Worker.create({
      ...{ connection: native, namespace: server.namespace, taskQueue: AGENT.taskQueue, activities: { execute } },
      dataConverter: dataConverterOf(withKeys(config, FIRST)),
    });
    working = agents.run();
    worker = await startWorker(FIRST);
  });

  after(async () => {
    await worker.stop();
    agents.shutdown();
    await working;
    await memory.close();
    await stopEnvironment();
  });

  /** An agent of somebody's own, with the same keys: it reads its memory, fails once, and breaks when told to. */
  function execute({ instruction, context, round, feedback }: ExecuteInput): Promise<ExecuteOutcome> {
    if (instruction.includes('break')) throw ApplicationFailure.nonRetryable('bitten by the agent', 'Bite', 'ferret');
    if (round === 0) return Promise.resolve({ action: 'the ferret', status: 'failed', feedback: 'no name in there' });
    const found = /oolong/u.exec(context)?.[0] ?? '';
    return Promise.resolve({ action: `${found} after ${feedback}`, status: 'succeeded' });
  }

  /** All that the server holds of a workflow: every event of its history, and what a list shows. */
  async function heldBytes(workflowId: string, runId: string): Promise<Buffer> {
    const history = await temporal.workflow.getHandle(workflowId, runId).fetchHistory();
    const { raw } = await temporal.workflow.getHandle(workflowId, runId).describe();
    const { History } = proto.temporal.api.history.v1;
    const { DescribeWorkflowExecutionResponse: Description } = proto.temporal.api.workflowservice.v1;
    return Buffer.concat([History.encode(history).finish(), Description.encode(raw).finish()]);
  }

  it('leaves no word of a document, a conversation, a task or a failure on the server', async () => {
    await learnNotes(engraph, SPACE);
    await engraph.remember(SPACE, 'talk', [says('My ferret is called Ferdinand.'), says('Ferdinand likes oolong.')]);
    const { batches } = await engraph.conversation(SPACE, 'talk').flush();
    assert.equal(batches, 1);
    const task = { space: SPACE, agent: AGENT };
    const result = await engraph.runTask({ ...task, taskId: 'tea', instruction: 'Which tea does the user like best?' });
    assert.deepEqual([result.outcome, result.answer], ['succeeded', 'oolong after no name in there']);
    const broken = await engraph.runTask({ ...task, taskId: 'broken', instruction: 'break, ferret' });
    assert.equal(broken.outcome, 'failed');
    const seen = new Set<string>();
    for await (const { workflowId, runId, type } of temporal.workflow.list()) {
      const bytes = await heldBytes(workflowId, runId);
      for (const word of WORDS) assert.ok(!bytes.includes(word), `"${word}" is readable in ${workflowId}`);
      assert.ok(bytes.includes('binary/encrypted'));
      seen.add(type);
    }
    assert.deepEqual([...seen].sort(), ['conversationWorkflow', 'knowledgeWorkflow', 'taskWorkflow']);
  });

  it('keeps the message of a failure for whoever has the key', async () => {
    const { events } = await temporal.workflow.getHandle(`task/${SPACE}/broken`).fetchHistory();
    const failure = events?.find((event) => event.activityTaskFailedEventAttributes)?.activityTaskFailedEventAttributes?.failure;
    assert.equal(failure?.message, 'Encoded failure');
    const codec = new EncryptingCodec([...(readPayloadKeys(FIRST, undefined) ?? assert.fail())]);
    const [opened] = await codec.decode([failure?.encodedAttributes ?? assert.fail()]);
    assert.match(Buffer.from(opened?.data ?? []).toString(), /bitten by the agent/u);
  });

  it('hides what a workflow itself fails with, and tells it to the client', async () => {
    const workflowId = `task/${SPACE}/refused`;
    const args = [{ space: SPACE, taskId: 'refused', instruction: 'ferret', limits: { maxRefinementRounds: 'ferret' } }];
    const refused = await temporal.workflow.start('taskWorkflow', { workflowId, taskQueue: 'engraph', args });
    await assert.rejects(refused.result(), (error: Error) => /maxRefinementRounds is "?ferret/u.test(String(error.cause)));
    const { events } = await refused.fetchHistory();
    assert.equal(events?.at(-1)?.workflowExecutionFailedEventAttributes?.failure?.message, 'Encoded failure');
  });

  it('can’t be read by a client without keys, which says so', async () => {
    const { engraph: keyless } = await openClient();
    await assert.rejects(keyless.task(SPACE, 'tea').result(), { kind: 'config', message: /key "first".*ENGRAPH_PAYLOAD_KEYS/u });
  });

  it('is shown by Temporal’s own command line through the codec server', async () => {
    const { config, server } = await environment();
    const codec = await serveCodec(
      new EncryptingCodec(readPayloadKeys(FIRST, undefined) ?? assert.fail()),
      0,
      'http://127.0.0.1:1',
    );
    try {
      const { path } = await findTemporalCli(config);
      const show = async (...more: string[]): Promise<string> => {
        const args = ['workflow', 'show', '--address', server.address, '-n', server.namespace, '-w', `task/${SPACE}/tea`];
        const { stdout } = await promisify(execFile)(path, [...args, '--output', 'json', ...more], { maxBuffer: 1 << 26 });
        return [...stdout.matchAll(/"data": "([^"]+)"/gu)]
          .map(([, data = '']) => Buffer.from(data, 'base64').toString())
          .join('\n');
      };
      assert.doesNotMatch(await show(), /Which tea/u);
      assert.match(await show('--codec-endpoint', `http://127.0.0.1:${codec.port}`), /Which tea/u);
    } finally {
      await codec.close();
    }
  });

  it('replays what was recorded', async () => {
    const { config } = await environment();
    const options = { workflowsPath: WORKFLOWS, logger: new DefaultLogger('ERROR') };
    const workflowBundle = await bundleWorkflowCode({ ...options, failureConverterPath: ENCODED_FAILURES });
    for (const workflowId of [`task/${SPACE}/tea`, `task/${SPACE}/broken`]) {
      const history = await temporal.workflow.getHandle(workflowId).fetchHistory();
      const dataConverter = dataConverterOf(withKeys(config, FIRST));
      await Worker.runReplayHistory({ workflowBundle, dataConverter }, history, workflowId);
    }
  });

  it('waits where a worker lacks a key, and goes on when it has it: no task is lost over a rotation gone wrong', async () => {
    await worker.stop();
    worker = await startWorker(SECOND);
    const both = await openClient(`${FIRST},${SECOND}`);
    const task = await both.engraph.startTask({ space: SPACE, taskId: 'rotated', instruction: 'Which tea?', agent: AGENT });
    await eventually(async () => {
      const { events } = await temporal.workflow.getHandle(`task/${SPACE}/rotated`).fetchHistory();
      assert.ok(events?.some(({ workflowTaskFailedEventAttributes: failed }) => failed));
    }, 60_000);
    await worker.stop();
    worker = await startWorker(`${FIRST},${SECOND}`);
    assert.equal((await task.result()).outcome, 'succeeded');
  });
});
