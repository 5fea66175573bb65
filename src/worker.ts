import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { Worker, type NativeConnection, type WorkerOptions } from '@temporalio/worker';

import type { Activities } from '../activities/contract.js';
import { ClaimCheck } from './claim-check.js';
import { createActivities, openMemory, openModel, openTools } from './compose.js';
import type { Config } from './config.js';
import { dataConverterOf } from './data-converter.js';
import { EngraphError } from './domain/failure.js';
import type { OnProgress } from './setup/progress.js';
import { openSenses } from './senses.js';
import { missingSearchAttributes } from './setup/search-attributes.js';
import type { Texts } from './store/texts.js';
import { connectWorker, type TemporalPlace } from './temporal.js';
import { WORKER_KINDS, type WorkerKind } from './worker-kinds.js';

/** A running worker. */
export interface RunningWorker {
  /** The language model that serves, by the name it gives itself. */
  readonly model: string;
  /** Settles when the worker has stopped; rejects when it failed. */
  readonly done: Promise<void>;
  /** What each of its queues is at; healthy while all of them are served. */
  health(): WorkerHealth;
  /** Stops taking work, lets what runs end (10 s), and closes what was opened. */
  stop(): Promise<void>;
}

/** Whether a worker does its work. Says nothing of Temporal or the store: a restart of the worker would cure neither. */
export interface WorkerHealth {
  readonly healthy: boolean;
  /** State of the SDK's worker by task queue: `RUNNING`, `DRAINING`, `FAILED` and so on. */
  readonly queues: Readonly<Record<string, string>>;
}

/** How long running activities may go on after a stop was asked for; then they are cancelled, and at twice that given up. */
const GRACE = '10 seconds';

/** Cached workflows; each holds its state and an isolate's context (facts/temporal.md, complaint 3). */
const MAX_CACHED_WORKFLOWS = 200;

/**
 * Starts workers for these kinds of work (all by default) in this process. Refuses to start with `config` while the server
 * lacks our search attributes: `engraph setup` registers them.
 */
export async function startWorker(
  config: Config,
  place: TemporalPlace,
  { kinds = WORKER_KINDS, onProgress }: { kinds?: readonly WorkerKind[]; onProgress?: OnProgress } = {},
): Promise<RunningWorker> {
  const connection = await connectWorker(place);
  try {
    await refuseUnprepared(connection, place);
    const memory = await openMemory(config, onProgress);
    const model = await openModel(config, onProgress);
    const activities = createActivities(memory, model, { tools: openTools(config), ...(await openSenses(config, onProgress)) });
    const serve = { connection, namespace: place.namespace, shutdownGraceTime: GRACE, shutdownForceTime: '20 seconds' } as const;
    const workers = await Promise.all(
      kinds.map((kind) => Worker.create({ ...serve, ...optionsOf(kind, config, activities, memory.texts) })),
    );
    const done = Promise.all(workers.map((worker) => worker.run())).then(async () => {
      await memory.close();
      await model.close();
      await connection.close();
    });
    const stop = async (): Promise<void> => {
      for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
      await done;
    };
    return { model: model.name, done, stop, health: () => healthOf(workers) };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

function healthOf(workers: readonly Worker[]): WorkerHealth {
  const queues = Object.fromEntries(workers.map((worker) => [worker.options.taskQueue, worker.getState()]));
  return { healthy: Object.values(queues).every((state) => state === 'RUNNING'), queues };
}

async function refuseUnprepared(connection: NativeConnection, { namespace }: TemporalPlace): Promise<void> {
  const missing = await missingSearchAttributes(connection, namespace);
  if (missing.length === 0) return;
  throw new EngraphError(
    'config',
    `the namespace ${namespace} lacks the search attributes ${missing.join(', ')}: run \`engraph setup\` once, then start the worker again`,
  );
}

/**
 * Options of one kind of worker. Only the workflow worker needs the claim check: activities read references themselves. A
 * versioned worker's workflows move to the current version by themselves, since every version replays the histories of the last.
 */
export function optionsOf(kind: WorkerKind, config: Config, activities: Activities, texts: Texts): WorkerOptions {
  const common = {
    taskQueue: config.queues[kind],
    dataConverter: dataConverterOf(config, ...(kind === 'workflow' ? [new ClaimCheck(texts)] : [])),
    ...(config.deployment && {
      workerDeploymentOptions: {
        useWorkerVersioning: true as const,
        version: { deploymentName: config.deployment.name, buildId: config.deployment.buildId },
        defaultVersioningBehavior: 'AUTO_UPGRADE' as const,
      },
    }),
  };
  switch (kind) {
    case 'workflow':
      return { ...common, ...workflowSource(config), maxCachedWorkflows: MAX_CACHED_WORKFLOWS };
    case 'store':
      return { ...common, activities, maxConcurrentActivityTaskExecutions: 16 };
    case 'text':
      return { ...common, activities, maxConcurrentActivityTaskExecutions: Math.max(2, config.threads * 2) };
    case 'model':
      return {
        ...common,
        activities,
        maxConcurrentActivityTaskExecutions: config.modelConcurrency,
        ...(config.modelRps !== undefined && { maxTaskQueueActivitiesPerSecond: config.modelRps }),
      };
  }
}

/** The bundle that `npm run build` made, where this is the built worker; else the sources, bundled at start. Encryption has a bundle of its own, in which failures are encoded. */
export function workflowSource({
  payloadKeys,
}: Pick<Config, 'payloadKeys'>): Pick<WorkerOptions, 'workflowBundle' | 'workflowsPath'> {
  const name = payloadKeys === undefined ? 'workflow-bundle' : 'workflow-bundle-encrypted';
  const bundle = fileURLToPath(new URL(`../${name}.js`, import.meta.url));
  if (import.meta.url.endsWith('.js') && existsSync(bundle)) return { workflowBundle: { codePath: bundle } };
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return { workflowsPath: fileURLToPath(new URL(`../workflows/index.${extension}`, import.meta.url)) };
}
