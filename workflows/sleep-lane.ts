import * as wf from '@temporalio/workflow';

import { addSpent, NOTHING_SPENT } from '../src/domain/refinement.js';
import { addVerdicts, NO_LANE, type LaneInput, type LaneReport, type WaitingQueue } from '../src/domain/sleep-result.js';
import { kindOf, spentOf } from './failures.js';
import { pauseSignal, resumeSignal, stopSignal } from './messages-sleep.js';
import { model, text } from './proxies.js';

/** Failures that the next queue would meet too. */
const HALTING: readonly string[] = ['llm_auth', 'llm_quota', 'config'];

/**
 * One lane of a sleep's update queues [LightMem: parallel update]: queue after queue, each judged and then applied, so that
 * it is done wholly or not at all. A child of `sleepWorkflow`; what it does not begin it gives back.
 */
export async function reconcileLane(input: LaneInput): Promise<LaneReport> {
  let { paused } = input;
  let stopped = false;
  wf.setHandler(pauseSignal, () => void (paused = true));
  wf.setHandler(resumeSignal, () => void (paused = false));
  wf.setHandler(stopSignal, () => void (stopped = true));
  let report = NO_LANE;
  for (const [at, queue] of input.queues.entries()) {
    await wf.condition(() => !paused || stopped);
    if (stopped || isSpent(input, report) || report.halted !== undefined) return { ...report, skipped: input.queues.slice(at) };
    report = await work(input, queue, report);
    wf.setCurrentDetails(`${at + 1} of ${input.queues.length} queues, ${report.spent.calls} model calls`);
  }
  return report;
}

function isSpent({ maxTokens, deadline }: LaneInput, { spent }: LaneReport): boolean {
  const tokens = spent.inputTokens + spent.outputTokens;
  return (maxTokens !== undefined && tokens >= maxTokens) || (deadline !== undefined && Date.now() >= deadline);
}

/** Judges a queue and applies it. One that fails for good is left as it is, for the next sleep. */
async function work({ space, runId, plan, dryRun }: LaneInput, waiting: WaitingQueue, report: LaneReport): Promise<LaneReport> {
  const { queue, targets } = waiting;
  const key = { space, runId, plan, queue };
  try {
    const summary = `${dryRun ? 'judge' : 'judge and apply'} queue ${queue}: ${targets} target${targets === 1 ? '' : 's'}`;
    const judged = await model().judgeQueue.executeWithOptions({ summary }, [{ ...key, apply: !dryRun }]);
    const told: LaneReport = {
      ...report,
      mergedWithoutModel: report.mergedWithoutModel + judged.mergedWithoutModel,
      verdicts: addVerdicts(report.verdicts, judged.verdicts),
      refused: [...report.refused, ...judged.refused],
      models: judged.spent.calls > 0 ? [...new Set([...report.models, judged.spent.model])] : report.models,
      spent: addSpent(report.spent, judged.spent),
    };
    if (dryRun) return told;
    const applied =
      judged.applied ?? (await text().applyQueue.executeWithOptions({ summary: `apply ${judged.changes} changes` }, [key]));
    if (applied.stale) return { ...told, left: [...told.left, { queue, kind: 'version_conflict' }] };
    return {
      ...told,
      revised: told.revised + applied.revised,
      retired: told.retired + applied.retired,
      inserted: told.inserted + applied.inserted,
    };
  } catch (error) {
    if (wf.isCancellation(error) || !(error instanceof wf.ActivityFailure)) throw error;
    const kind = kindOf(error) ?? 'internal';
    return {
      ...report,
      left: [...report.left, { queue, kind }],
      spent: addSpent(report.spent, { ...NOTHING_SPENT, ...spentOf(error) }),
      ...(HALTING.includes(kind) && { halted: kind }),
    };
  }
}
