import { setTimeout as wait } from 'node:timers/promises';

import type { Client } from '@temporalio/client';

import type { WorkerProcess } from './worker-process.js';

/** Time in which what a frozen worker had sent before is sure to have arrived, in milliseconds. */
const SETTLES_MS = 150;

/** How often the server is asked what runs, in milliseconds: rounds of the rules model take a few hundred. */
const LOOKS_MS = 5;

/** What a killed worker was doing. */
export interface Killed {
  readonly workflowId: string;
  /** The activity that was running in it. */
  readonly activity: string;
  readonly pid: number;
}

/**
 * Kills a worker in the middle of a workflow's activity. It is frozen first: only when the server still waits for the activity
 * then is it really being done, and the worker gets killed; else it goes on. Gives nothing where the workflow ends before.
 */
export async function killAmid(
  temporal: Client,
  workflowId: string,
  worker: WorkerProcess,
  isOver: () => boolean,
): Promise<Killed | undefined> {
  const handle = temporal.workflow.getHandle(workflowId);
  const running = async (): Promise<string | undefined> => {
    const { raw } = await handle.describe();
    const started = raw.pendingActivities?.find(
      ({ state, activityType }) => state === STARTED && OURS.has(activityType?.name ?? ''),
    );
    return started && `${started.activityId} ${started.activityType?.name}`;
  };
  while (!isOver()) {
    const seen = await running();
    if (seen === undefined) {
      await wait(LOOKS_MS);
      continue;
    }
    worker.freeze();
    await wait(SETTLES_MS);
    if ((await running()) === seen) {
      await worker.kill();
      return { workflowId, activity: seen.split(' ')[1] ?? seen, pid: worker.pid };
    }
    worker.goOn();
    await wait(LOOKS_MS);
  }
  return undefined;
}

/** PENDING_ACTIVITY_STATE_STARTED of Temporal's API. */
const STARTED = 2;

/** Activities in the midst of a task that run in our worker; the judge's runs in the demo's own process. */
const OURS: ReadonlySet<string> = new Set(['execute', 'attribute', 'reshape', 'repair']);
