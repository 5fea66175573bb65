import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Runtime, Worker, type WorkflowBundle } from '@temporalio/worker';

import { InMemoryVectorStore } from '../../src/adapters/in-memory.js';
import { ClaimCheck } from '../../src/claim-check.js';
import { EngraphClient } from '../../src/client.js';
import { createActivities, memoryOver, type OpenMemory } from '../../src/compose.js';
import { loadConfig, type Config } from '../../src/config.js';
import type { ExecuteInput, ExecuteOutcome, JudgeInput, Judgement } from '../../src/domain/agent.js';
import type { LanguageModel } from '../../src/ports/language-model.js';
import type { Tools } from '../../src/ports/tools.js';
import { startDevServer, type DevServer } from '../../src/setup/dev-server.js';
import { ScriptedModel } from './scripted-model.js';
import { WordEmbedder } from './word-embedder.js';

/** One Temporal server and one workflow bundle for all tests of a process. */
interface Environment {
  readonly config: Config;
  readonly server: DevServer;
  readonly connection: Connection;
  readonly worker: NativeConnection;
  readonly bundle: WorkflowBundle;
}

let started: Promise<Environment> | undefined;

/**
 * Starts the server and makes the bundle, once a process. The server suggests to continue as new after 40 events, so that tests
 * cross into a new run; `asDeployed` leaves its own limits as they are, which benches measure.
 */
export async function startEnvironment({ asDeployed = false }: { asDeployed?: boolean } = {}): Promise<void> {
  started ??= begin(asDeployed ? {} : TEST_LIMITS);
  await started;
}

const TEST_LIMITS = { 'limit.historyCount.suggestContinueAsNew': 40 };

/** For a `before` of mocha: what `startEnvironment` made ends with the process; this ends it at once. */
export async function stopEnvironment(): Promise<void> {
  const running = started;
  started = undefined;
  if (running === undefined) return;
  const { config, server, connection, worker } = await running;
  await connection.close();
  await worker.close();
  await server.stop();
  await rm(config.home, { recursive: true, force: true });
}

export async function environment(): Promise<Environment> {
  started ??= begin(TEST_LIMITS);
  return await started;
}

/** The workflows' bundle, made once. Histories are replayed against it. */
export async function workflowBundle(): Promise<WorkflowBundle> {
  quiet();
  bundled ??= bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL('../../workflows/index.ts', import.meta.url)),
    logger: new DefaultLogger('WARN'),
  });
  return await bundled;
}

let bundled: Promise<WorkflowBundle> | undefined;
let isQuiet = false;

/** Worker states and the like are no news in a test; a process has one runtime, so this comes before anything else of the SDK's. */
function quiet(): void {
  if (isQuiet) return;
  isQuiet = true;
  Runtime.install({ logger: new DefaultLogger('ERROR') });
}

async function begin(dynamicConfig: Readonly<Record<string, number>>): Promise<Environment> {
  quiet();
  const home = await mkdtemp(join(tmpdir(), 'engraph-test-'));
  const { TEMPORAL_ADDRESS: _none, ...env } = process.env;
  const config = loadConfig({ ...env, ENGRAPH_HOME: home });
  const server = await startDevServer({ config, dynamicConfig });
  const [connection, worker, bundle] = await Promise.all([
    Connection.connect({ address: server.address }),
    NativeConnection.connect({ address: server.address }),
    workflowBundle(),
  ]);
  return { config, server, connection, worker, bundle };
}

/** What a test's agent and judge do; each is an activity on the queue `agentQueue`. */
export interface Scene {
  readonly execute?: (input: ExecuteInput) => Promise<ExecuteOutcome> | ExecuteOutcome;
  readonly judgeWork?: (input: JudgeInput) => Promise<Judgement> | Judgement;
  readonly model?: LanguageModel;
  readonly memory?: OpenMemory;
  /** Tool servers of the chat agent; none by default. */
  readonly tools?: Tools;
  /** False where a bench makes more histories than it can wait for to be replayed; true by default. */
  readonly replayed?: boolean;
  /** Replaces activities of ours, by name. */
  readonly activities?: Record<string, (...args: never[]) => unknown>;
}

/** What a test is given. */
export interface Stage {
  readonly client: EngraphClient;
  readonly temporal: Client;
  readonly memory: OpenMemory;
  readonly taskQueue: string;
  readonly agentQueue: string;
  /** Names an agent of the scene. */
  readonly agent: { readonly taskQueue: string; readonly activity: string };
}

/**
 * Runs the body beside workers on queues of its own, over an in-memory store; then replays every history made against the same
 * bundle, so that each workflow test is a replay test too.
 */
export async function withEngraph(scene: Scene, body: (stage: Stage) => Promise<void>): Promise<void> {
  const { server, connection, worker, bundle } = await environment();
  const taskQueue = `test-${randomUUID()}`;
  const agentQueue = `${taskQueue}-agent`;
  const memory = scene.memory ?? memoryOver(new InMemoryVectorStore(), new WordEmbedder());
  await memory.store.ensure(memory.embedder.identity);
  const activities = {
    ...createActivities(memory, scene.model ?? new ScriptedModel({}), { ...(scene.tools && { tools: scene.tools }) }),
    ...scene.activities,
  };
  const own = {
    ...(scene.execute && { execute: async (input: ExecuteInput) => await scene.execute?.(input) }),
    ...(scene.judgeWork && { judgeWork: async (input: JudgeInput) => await scene.judgeWork?.(input) }),
  };
  const serve = { connection: worker, namespace: server.namespace, shutdownGraceTime: '1 second' } as const;
  const workers = await Promise.all([
    Worker.create({
      ...serve,
      taskQueue,
      workflowBundle: bundle,
      dataConverter: { payloadCodecs: [new ClaimCheck(memory.texts)] },
    }),
    ...['store', 'text', 'model'].map((kind) => Worker.create({ ...serve, taskQueue: `${taskQueue}-${kind}`, activities })),
    ...(Object.keys(own).length > 0 ? [Worker.create({ ...serve, taskQueue: agentQueue, activities: own })] : []),
  ]);
  const temporal = new Client({ connection, namespace: server.namespace });
  const client = new EngraphClient({ temporal, memory, taskQueue });
  const running = Promise.all(workers.map((one) => one.run()));
  try {
    await body({ client, temporal, memory, taskQueue, agentQueue, agent: { taskQueue: agentQueue, activity: 'execute' } });
  } finally {
    for (const one of workers) if (one.getState() === 'RUNNING') one.shutdown();
    await running;
  }
  if (scene.replayed ?? true) await replayAll(temporal, taskQueue);
}

/** Replays what ran on this queue on today's code; a change that a history can't follow fails here. */
export async function replayAll(temporal: Client, taskQueue: string): Promise<void> {
  const { bundle } = await environment();
  for await (const { workflowId, runId } of temporal.workflow.list({ query: `TaskQueue = '${taskQueue}'` })) {
    const history = await (temporal.workflow.getHandle(workflowId, runId) as WorkflowHandle).fetchHistory();
    // The replayer would wait for ever for the first task of a run that no worker took up.
    if (!history.events?.some((event) => event.workflowTaskCompletedEventAttributes)) continue;
    await Worker.runReplayHistory({ workflowBundle: bundle }, history, workflowId);
  }
}
