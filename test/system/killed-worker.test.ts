import assert from 'node:assert/strict';

import { Client } from '@temporalio/client';
import { Worker } from '@temporalio/worker';

import { EngraphClient } from '../../src/client.js';
import { openMemory, type OpenMemory } from '../../src/compose.js';
import type { JudgeInput, Judgement } from '../../src/domain/agent.js';
import type { TaskHandle } from '../../src/task-handle.js';
import { environment, replayAll, startEnvironment, stopEnvironment } from '../support/environment.js';
import { eventually } from '../support/eventually.js';
import { holdStore } from '../support/held-store.js';
import { learnNotes } from '../support/learned-notes.js';
import { chatReply, ScriptedOpenAi, type Answer, type SeenRequest } from '../support/scripted-openai.js';
import { startEngraph, type EngraphProcess } from '../support/worker-process.js';

const JUDGES = 'system-judges';
const INSTRUCTION = 'Which tea does the user like best?';
/** temporal.api.enums.v1: an activity that a worker has taken; a time-out for want of a heartbeat. */
const STARTED = 2;
const HEARTBEAT = 4;

/** What the test stops at: each is called when the task gets there, and may hold it there. */
interface Stops {
  answering?: () => Answer | undefined;
  judging?: (round: number) => Promise<void> | void;
}

describe('a worker that is killed with SIGKILL', function () {
  this.timeout(240_000);
  let memory: OpenMemory;
  let client: EngraphClient;
  let temporal: Client;
  let model: ScriptedOpenAi;
  let judges: Worker;
  let judging: Promise<void>;
  let worker: EngraphProcess;
  let env: NodeJS.ProcessEnv;
  let stops: Stops = {};

  before(async () => {
    await startEnvironment();
    const { config, server, connection, worker: native } = await environment();
    memory = await openMemory(config);
    temporal = new Client({ connection, namespace: server.namespace });
    client = new EngraphClient({ temporal, memory });
    model = await ScriptedOpenAi.start({ chat: (request) => stops.answering?.() ?? replyTo(request) });
    judges = await Worker.create({
      connection: native,
      namespace: server.namespace,
      taskQueue: JUDGES,
      activities: { judgeWork: judge },
    });
    judging = judges.run();
    env = { ENGRAPH_HOME: config.home, OPENAI_BASE_URL: model.baseUrl, ENGRAPH_CHAT_MODEL: 'scripted' };
    worker = await startEngraph('worker', env);
  });

  after(async () => {
    await worker.stop();
    judges.shutdown();
    await judging;
    await model.close();
    await memory.close();
    await stopEnvironment();
  });

  beforeEach(() => {
    stops = {};
    model.requests.length = 0;
  });

  /** The first round is judged a failure, the second a success. */
  async function judge({ round }: JudgeInput): Promise<Judgement> {
    await stops.judging?.(round);
    return round === 0 ? { success: false, feedback: 'say it by its name, with what it is drunk with' } : { success: true };
  }

  const start = async (space: string): Promise<TaskHandle> =>
    await client.startTask({
      space,
      taskId: 'tea',
      instruction: INSTRUCTION,
      judge: { by: 'activity', taskQueue: JUDGES, activity: 'judgeWork' },
    });

  /** Waits until a worker has begun this activity. */
  const began = async (handle: TaskHandle, name: string): Promise<void> =>
    await eventually(async () => {
      const { raw } = await temporal.workflow.getHandle(handle.workflowId).describe();
      const begun = (raw.pendingActivities ?? []).filter(
        ({ activityType, state }) => activityType?.name === name && state === STARTED,
      );
      assert.equal(begun.length, 1, `${name} has begun`);
    }, 60_000);

  /** The task ended as if nobody had been killed, and nothing of it is there twice. */
  const finishedOnce = async (handle: TaskHandle, { requests, again }: { requests: number; again?: string }): Promise<void> => {
    const result = await handle.result();
    assert.deepEqual(
      { outcome: result.outcome, answer: result.answer, executions: result.executions, repairs: result.repairs },
      { outcome: 'succeeded', answer: 'oolong', executions: 2, repairs: 1 },
    );
    const { events } = await temporal.workflow.getHandle(handle.workflowId).fetchHistory();
    const scheduled = (events ?? []).map((event) => event.activityTaskScheduledEventAttributes?.activityType?.name);
    assert.equal(scheduled.filter((name) => name === 'execute').length, 2, 'rounds + 1 executes');
    assert.equal(scheduled.filter((name) => name === 'record').length, 1);
    const repeated = (events ?? []).flatMap(({ activityTaskStartedEventAttributes: started }) => {
      if (!started || (started.attempt ?? 1) < 2) return [];
      const of = (events ?? []).find(({ eventId }) => String(eventId) === String(started.scheduledEventId));
      const { activityType, heartbeatTimeout } = of?.activityTaskScheduledEventAttributes ?? {};
      const timeout = started.lastFailure?.timeoutFailureInfo?.timeoutType;
      return [{ name: activityType?.name, attempt: started.attempt, timeout, seconds: Number(heartbeatTimeout?.seconds) }];
    });
    const noticed = { attempt: 2, timeout: HEARTBEAT, seconds: 10 };
    assert.deepEqual(repeated, again === undefined ? [] : [{ name: again, ...noticed }]);
    assert.equal(model.requests.length, requests, 'requests to the model');
    const { begun, answered } = await memory.drafts.ledger(handle.space);
    assert.deepEqual({ begun, answered }, { begun: requests, answered: 3 }, 'the ledger counts what the server counted');
    await eachOnce(handle.space, { episodes: 1 });
  };

  const eachOnce = async (space: string, { episodes }: { episodes: number }): Promise<number> => {
    const nodes: { id: string; version: number; kind: string; source?: { position: number } }[] = [];
    for await (const line of client.export(space)) nodes.push(line as unknown as (typeof nodes)[number]);
    const chunks = nodes.filter(({ kind }) => kind === 'semantic');
    assert.equal(new Set(nodes.map(({ id, version }) => `${id} ${version}`)).size, nodes.length, 'each version once');
    assert.equal(new Set(chunks.map(({ source }) => source?.position)).size, chunks.length, 'each place of the document once');
    assert.equal(nodes.filter(({ kind }) => kind === 'episodic').length, episodes);
    return chunks.length;
  };

  it('while it retrieves: the retrieval is done again, and nothing else', async () => {
    const space = 'killed while it retrieves';
    await learnNotes(client, space);
    await memory.texts.keep(space, INSTRUCTION);
    await memory.texts.keep(space, '');
    const free = await holdStore();
    const handle = await start(space);
    await began(handle, 'retrieve');
    await worker.kill();
    free();
    worker = await startEngraph('worker', env);
    await finishedOnce(handle, { requests: 3, again: 'retrieve' });
  });

  it('while the model answers: the one answer that did not arrive is asked for again', async () => {
    const space = 'killed while the model answers';
    await learnNotes(client, space);
    stops = { answering: () => (model.requests.length === 1 ? 'hang' : undefined) };
    const handle = await start(space);
    await eventually(() => assert.equal(model.requests.length, 1), 60_000);
    await worker.kill();
    worker = await startEngraph('worker', env);
    await finishedOnce(handle, { requests: 4, again: 'execute' });
  });

  it('not by a kill but by a second signal: it ends at once too, and the task goes on elsewhere', async () => {
    const space = 'ended by a second signal';
    await learnNotes(client, space);
    stops = { answering: () => (model.requests.length === 1 ? 'hang' : undefined) };
    const handle = await start(space);
    await eventually(() => assert.equal(model.requests.length, 1), 60_000);
    const codes = await Promise.all([worker.stop('SIGINT'), worker.stop('SIGTERM')]);
    assert.deepEqual(codes, [143, 143], 'the second signal’s own code');
    worker = await startEngraph('worker', env);
    await finishedOnce(handle, { requests: 4, again: 'execute' });
  });

  it('after the answer, while it is judged: no answer is bought again', async () => {
    const space = 'killed while it is judged';
    await learnNotes(client, space);
    const gate = aGate();
    stops = { judging: async (round) => (round === 1 ? await gate.pass() : undefined) };
    const handle = await start(space);
    await gate.reached;
    await worker.kill();
    gate.open();
    worker = await startEngraph('worker', env);
    await finishedOnce(handle, { requests: 3 });
  });

  it('while it records: the episode is written once', async () => {
    const space = 'killed while it records';
    await learnNotes(client, space);
    let free = (): void => {};
    stops = { judging: async (round) => void (round === 1 && (free = await holdStore())) };
    const handle = await start(space);
    await began(handle, 'record');
    await worker.kill();
    free();
    worker = await startEngraph('worker', env);
    await finishedOnce(handle, { requests: 3, again: 'record' });
  });

  it('in the middle of a document: every chunk is there, and once', async () => {
    const space = 'killed in the middle of a document';
    const sentences = Array.from(
      { length: 200 },
      (_, i) => `Entry ${i} of the log says that ${i * 7} crates of ${NOUNS[i % NOUNS.length]} came.`,
    );
    const learning = client.learn(space, { document: 'log.txt', text: sentences.join('\n\n'), chunkCharacters: 96 });
    await eventually(async () => assert.ok((await memory.nodes.count(space)) > 0), 60_000);
    await worker.kill();
    const left = await memory.nodes.count(space);
    assert.ok(left > 0 && left < 200, `${left} of 200 chunks were there`);
    worker = await startEngraph('worker', env);
    const { chunks, added, kept } = await learning;
    assert.deepEqual({ chunks, added, kept }, { chunks: 200, added: 200, kept: 0 });
    assert.equal(await eachOnce(space, { episodes: 0 }), 200);
    const again = await client.learn(space, { document: 'log.txt', text: sentences.join('\n\n'), chunkCharacters: 96 });
    assert.equal(again.unchanged, true);
  });

  it('leaves histories that today’s code can replay', async () => {
    await replayAll(temporal, 'engraph');
  });
});

const NOUNS = ['pears', 'nails', 'paper', 'salt', 'lamps', 'wool', 'glass'];

/** What the scripted model says to each of our questions. */
function replyTo({ body }: SeenRequest): Answer {
  const { json_schema } = body['response_format'] as { json_schema: { name: string } };
  switch (json_schema.name) {
    case 'answer':
      return chatReply(JSON.stringify({ answer: 'oolong', cited: [1], known: true }));
    case 'attribution':
      return chatReply(JSON.stringify({ reason: 'more is needed', fault: 'missing_knowledge', edits: [{ edit: 'expand' }] }));
    default:
      throw new Error(`no reply to ${json_schema.name} is scripted`);
  }
}

/** A place where somebody waits until it is opened; `reached` settles when somebody is there. */
function aGate(): { reached: Promise<void>; pass: () => Promise<void>; open: () => void } {
  const [arrived, opened] = [aPromise(), aPromise()];
  return {
    reached: arrived.promise,
    open: opened.resolve,
    pass: async () => {
      arrived.resolve();
      await opened.promise;
    },
  };
}

function aPromise(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}
