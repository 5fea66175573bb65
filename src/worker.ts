import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { Worker, type NativeConnection, type WorkerOptions } from '@temporalio/worker';

import type { Activities } from '../activities/contract.js';
import { ClaimCheck } from './claim-check.js';
import { createActivities, openMemory, openModel, openTools } from './compose.js';
import type { Config } from './config.js';
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
  /** Stops taking work, lets what runs end (10 s), and closes what was opened. */
  stop(): Promise<void>;
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
    return { model: model.name, done, stop };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

async function refuseUnprepared(connection: NativeConnection, { namespace }: TemporalPlace): Promise<void> {
  const missing = await missingSearchAttributes(connection, namespace);
  if (missing.length === 0) return;
  throw new EngraphError(
    'config',
    `the namespace ${namespace} lacks the search attributes ${missing.join(', ')}: run \`engraph setup\` once, then start the worker again`,
  );
}

/** Options of one kind of worker. Only the workflow worker needs the claim check: activities read references themselves. */
export function optionsOf(kind: WorkerKind, config: Config, activities: Activities, texts: Texts): WorkerOptions {
  const taskQueue = config.queues[kind];
  switch (kind) {
    case 'workflow':
      return {
        taskQueue,
        ...workflowSource(),
        dataConverter: { payloadCodecs: [new ClaimCheck(texts)] },
        maxCachedWorkflows: MAX_CACHED_WORKFLOWS,
      };
    case 'store':
      return { taskQueue, activities, maxConcurrentActivityTaskExecutions: 16 };
    case 'text':
      return { taskQueue, activities, maxConcurrentActivityTaskExecutions: Math.max(2, config.threads * 2) };
    case 'model':
      return {
        taskQueue,
        activities,
        maxConcurrentActivityTaskExecutions: config.modelConcurrency,
        ...(config.modelRps !== undefined && { maxTaskQueueActivitiesPerSecond: config.modelRps }),
      };
  }
}

/** The bundle that `npm run build` made, where this is the built worker; else the sources, bundled at start. */
export function workflowSource(): Pick<WorkerOptions, 'workflowBundle' | 'workflowsPath'> {
  const bundle = fileURLToPath(new URL('../workflow-bundle.js', import.meta.url));
  if (import.meta.url.endsWith('.js') && existsSync(bundle)) return { workflowBundle: { codePath: bundle } };
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return { workflowsPath: fileURLToPath(new URL(`../workflows/index.${extension}`, import.meta.url)) };
}
