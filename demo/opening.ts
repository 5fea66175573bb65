import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import type { Client, Connection } from '@temporalio/client';
import { DefaultLogger, Runtime, type NativeConnection } from '@temporalio/worker';

import { EngraphClient } from '../src/client.js';
import { openMemory, type OpenMemory } from '../src/compose.js';
import type { Config } from '../src/config.js';
import { dataConverterOf } from '../src/data-converter.js';
import type { OnProgress } from '../src/setup/progress.js';
import { ensureSearchAttributes } from '../src/setup/search-attributes.js';
import { connectClient, connectWorker, findTemporal, temporalClient, type TemporalPlace } from '../src/temporal.js';
import { Judge, serveJudge } from './judge.js';
import { WorkerProcess } from './worker-process.js';

/** All that the demo needs open while it runs. */
export interface OpenDemo {
  readonly config: Config;
  readonly place: TemporalPlace;
  readonly temporal: Client;
  readonly memory: OpenMemory;
  readonly client: EngraphClient;
  readonly judge: Judge;
  /** The demo's own task queue, on which only its judge works. */
  readonly judgeQueue: string;
  /** Starts another worker process. */
  startWorker(): Promise<WorkerProcess>;
  /** Ends in order everything that was opened and started. */
  close(): Promise<void>;
}

/** Opens a Temporal server (found or started), the memory, a client and the judge. What opened before a failure is closed. */
export async function openDemo(
  config: Config,
  workerEnv: NodeJS.ProcessEnv,
  told: { onLine: (line: string) => void; onProgress: OnProgress },
): Promise<OpenDemo> {
  Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });
  const closing: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const end of closing.splice(0).reverse()) await end();
  };
  try {
    await mkdir(config.home, { recursive: true });
    const place = await findTemporal(config, told);
    closing.push(async () => await place.devServer?.stop());
    const connection: Connection = await connectClient(place);
    closing.push(() => connection.close());
    await ensureSearchAttributes(connection, place.namespace);
    const memory = await openMemory(config, told.onProgress);
    closing.push(() => memory.close());
    const native: NativeConnection = await connectWorker(place);
    closing.push(() => native.close());
    const judge = new Judge();
    const judgeQueue = `${config.queues.workflow}-judge`;
    closing.push(
      await serveJudge(judge, {
        connection: native,
        namespace: place.namespace,
        taskQueue: judgeQueue,
        dataConverter: dataConverterOf(config),
      }),
    );
    const temporal = temporalClient(config, place, connection);
    const client = new EngraphClient({ temporal, memory, taskQueue: config.queues.workflow });
    const startWorker = async (): Promise<WorkerProcess> => {
      const worker = await WorkerProcess.start(workerEnv, join(config.home, 'demo-worker.log'));
      closing.push(() => worker.stop());
      return worker;
    };
    return { config, place, temporal, memory, client, judge, judgeQueue, startWorker, close };
  } catch (error) {
    await close();
    throw error;
  }
}
