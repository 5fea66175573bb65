import * as wf from '@temporalio/workflow';

import type { ExtractInput } from '../activities/contract-conversation.js';
import { idOf } from '../src/domain/id.js';
import { spend, tally, type ConversationRun } from './conversation-run.js';
import { spentOf } from './failures.js';
import { model, store, text } from './proxies.js';

/** Facts of one batch that are held against older ones at most: more than any batch has. */
const BATCH_FACTS = 10_000;

/**
 * `update: "online"`: what a sleep does, for the facts of one batch right after they are extracted, one queue after the other.
 * A queue that fails, or that a sleep has changed meanwhile, keeps its facts fresh, for the next sleep.
 */
export async function reconcileBatch(run: ConversationRun, { space, conversation, batchId }: ExtractInput): Promise<void> {
  const key = { space, runId: idOf('online', space, batchId), plan: 0 };
  const batch = { conversation, batchId };
  try {
    const planned = await text().planReconcile.executeWithOptions({ summary: 'hold the new facts against older ones' }, [
      { ...key, planFacts: BATCH_FACTS, batch },
    ]);
    for (const queue of planned.queues.keys()) {
      const isDone = await reconcileQueue(run, { ...key, queue });
      tally(run, isDone ? { reconciled: 1 } : { unreconciled: 1 });
    }
    await store().settlePlan.executeWithOptions({ summary: 'facts with nothing near them are settled' }, [key]);
  } catch (error) {
    if (wf.isCancellation(error) || !(error instanceof wf.ActivityFailure)) throw error;
    tally(run, { unreconciled: 1 });
  }
}

async function reconcileQueue(
  run: ConversationRun,
  key: { space: string; runId: string; plan: number; queue: number },
): Promise<boolean> {
  try {
    const judged = await model().judgeQueue.executeWithOptions({ summary: `judge queue ${key.queue}` }, [key]);
    spend(run, judged.spent, judged.spent.model);
    const applied = await text().applyQueue.executeWithOptions({ summary: `apply ${judged.changes} changes` }, [key]);
    return !applied.stale;
  } catch (error) {
    if (wf.isCancellation(error) || !(error instanceof wf.ActivityFailure)) throw error;
    spend(run, spentOf(error));
    return false;
  }
}
