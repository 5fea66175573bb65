import * as wf from '@temporalio/workflow';

import type { Undone } from '../activities/contract-sleep.js';
import { checkSpace } from '../src/domain/space.js';
import { checked } from './failures.js';
import { text } from './proxies.js';

/**
 * Undoes a sleep from its before-images, wholly or not at all. Runs under the id of the space's sleep, so that none begins
 * meanwhile. Fails with `not_found` where the space has had no sleep of this id.
 */
export async function undoSleepWorkflow({ space, runId }: { space: string; runId: string }): Promise<Undone> {
  checked(() => checkSpace(space));
  if (typeof runId !== 'string' || runId === '')
    throw wf.ApplicationFailure.nonRetryable('runId is missing; `engraph sleep list` names the sleeps of a space', 'validation');
  return await text().undoSleep.executeWithOptions({ summary: `undo sleep ${runId}` }, [{ space, runId }]);
}
