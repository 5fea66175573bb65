import * as wf from '@temporalio/workflow';

import type { ExtractInput } from '../activities/contract-conversation.js';
import { addSpent, NOTHING_SPENT } from '../src/domain/refinement.js';
import { keyOf } from '../src/domain/space.js';
import { spentOf } from './failures.js';
import { unparkedSignal } from './messages-conversation.js';
import { model, store, text } from './proxies.js';
import { isOver, showSleep, spend, whilePaused, type SleepRun } from './sleep-run.js';

/**
 * Tries parked batches again, one after the other, by a question of its own, since the answer to the first one was kept and is
 * of no use. Returns whether it is done; not done, it goes on in a new run where it stopped.
 */
export async function retryParked(run: SleepRun): Promise<boolean> {
  const { space } = run;
  run.parked ??= { batches: 0, facts: 0, still: 0, spent: NOTHING_SPENT };
  const { batches } = await store().listParked.executeWithOptions({ summary: 'list parked batches' }, [{ space }]);
  for (const batch of batches.filter(({ batchId }) => !run.tried.includes(batchId))) {
    await whilePaused(run);
    if (isOver(run)) return true;
    if (wf.workflowInfo().continueAsNewSuggested) return false;
    await retry(run, batch);
    run.tried = [...run.tried, batch.batchId];
    showSleep(run);
  }
  return true;
}

async function retry(run: SleepRun, batch: ExtractInput): Promise<void> {
  const parked = run.parked ?? { batches: 0, facts: 0, still: 0, spent: NOTHING_SPENT };
  const { space, conversation, batchId } = batch;
  const again = { ...batch, again: run.runId };
  try {
    const turns = batch.topics.reduce((sum, topic) => sum + topic.turns.length, 0);
    const told = await model().extractFacts.executeWithOptions({ summary: `try ${turns} parked turns again` }, [again]);
    const published = await text().publishFacts.executeWithOptions({ summary: `publish ${told.facts} facts` }, [again]);
    await store().unparkBatch.executeWithOptions({ summary: 'parked no more' }, [{ space, conversation, batchId }]);
    await tell(space, conversation, { batchId, facts: published.facts, summaries: published.summaries });
    spend(run, told.spent);
    run.parked = {
      batches: parked.batches + 1,
      facts: parked.facts + published.facts,
      still: parked.still,
      spent: addSpent(parked.spent, told.spent),
    };
  } catch (error) {
    if (wf.isCancellation(error) || !(error instanceof wf.ActivityFailure)) throw error;
    spend(run, spentOf(error));
    const spent = addSpent(parked.spent, spentOf(error));
    run.parked = { ...parked, batches: parked.batches + 1, still: parked.still + 1, spent };
  }
}

/** Its conversation counts it no more as parked, where it still runs. */
async function tell(space: string, conversation: string, done: { batchId: string; facts: number; summaries: number }) {
  const handle = wf.getExternalWorkflowHandle(`conversation/${keyOf(space)}/${keyOf(conversation)}`);
  try {
    await handle.signal(unparkedSignal, done);
  } catch (error) {
    if (wf.isCancellation(error)) throw error; // anything else: it has ended, and nobody asks it
  }
}
