import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import * as wf from '@temporalio/workflow';

import type { SleepRequest } from '../src/domain/sleep.js';
import { checkSleep } from '../src/domain/sleep.js';
import { keyOf } from '../src/domain/space.js';
import { checked } from './failures.js';
import type { sleepWorkflow } from './sleep.js';

/**
 * What a schedule starts: the one sleep of the space, which goes on when this has ended. A schedule adds a time to the ids of
 * what it starts, so that it can't start `sleep/{space}` itself. One that runs already is left alone.
 */
export async function sleepTick(input: { space: string; settings?: SleepRequest }): Promise<{ started: boolean }> {
  const { space, settings } = input;
  checked(() => checkSleep(space, settings));
  return { started: await startSleep(space, settings) };
}

/** Starts the space's sleep and does not wait for it; false where one runs already. */
export async function startSleep(space: string, settings?: SleepRequest): Promise<boolean> {
  try {
    await wf.startChild<typeof sleepWorkflow>('sleepWorkflow', {
      workflowId: `sleep/${keyOf(space)}`,
      args: [{ space, ...(settings !== undefined && { settings }) }],
      parentClosePolicy: 'ABANDON',
      staticSummary: `sleep of ${keyOf(space)}`,
      priority: { priorityKey: 5, fairnessKey: keyOf(space) },
    });
    return true;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
    throw error;
  }
}
