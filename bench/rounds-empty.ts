import { fileURLToPath } from 'node:url';

import { Worker } from '@temporalio/worker';

import { environment, type Stage } from '../test/support/environment.js';

/** A worker that serves the bench's empty workflow on a queue of its own, with an empty activity. */
export async function emptyWork({ taskQueue }: Stage): Promise<{ worker: Worker; queue: string }> {
  const { worker: connection, server } = await environment();
  const queue = `${taskQueue}-empty`;
  const worker = await Worker.create({
    ...{ connection, namespace: server.namespace, taskQueue: queue },
    workflowsPath: fileURLToPath(new URL('./rounds-empty-workflow.ts', import.meta.url)),
    activities: { empty: () => Promise.resolve() },
    // As in the product, where activities are on queues of their own: an activity that starts eagerly would be another thing.
    maxEagerActivityReservationsPerWorkflowTask: 0,
  });
  return { worker, queue };
}
