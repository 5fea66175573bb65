import * as wf from '@temporalio/workflow';

import { checkSleep, type SleepPhase } from '../src/domain/sleep.js';
import type { SleepInput, SleepResult } from '../src/domain/sleep-result.js';
import { checked } from './failures.js';
import { store } from './proxies.js';
import { consolidatePhase, ripenPhase } from './sleep-consolidate.js';
import { retryParked } from './sleep-parked.js';
import { reconcile } from './sleep-reconcile.js';
import { beginSleep, carriedFrom, isOver, resultOf, showSleep, whilePaused, type SleepRun } from './sleep-run.js';

/**
 * Offline maintenance of one space (design.md 3.3). Id `sleep/{space}`, so that a space has one at a time. Phase after phase;
 * goes on in a new run on the server's hint, once its lanes are drained. Ends with what it came to, which is kept as a record
 * too; cancelled, it keeps that and ends as cancelled, and what it changed until then can be undone like any other sleep.
 */
export async function sleepWorkflow(input: SleepInput): Promise<SleepResult> {
  const { space, settings: asked, carried } = input;
  const settings = checked(() => checkSleep(space, asked));
  const run = beginSleep(space, settings, carried);
  try {
    while (run.phases.length > 0) {
      await whilePaused(run);
      if (isOver(run) && run.reconcile === undefined) break;
      const [phase] = run.phases;
      if (phase === undefined || (await PHASES[phase](run))) run.phases = run.phases.slice(1);
      showSleep(run);
      if (run.phases.length > 0 && wf.workflowInfo().continueAsNewSuggested) await goOn(run, input);
    }
  } catch (error) {
    if (!wf.isCancellation(error)) throw error;
    run.end ??= 'stopped';
    await wf.CancellationScope.nonCancellable(() => keep(run));
    throw error;
  }
  await keep(run);
  await wf.condition(wf.allHandlersFinished);
  return resultOf(run);
}

const PHASES: Readonly<Record<SleepPhase, (run: SleepRun) => Promise<boolean>>> = {
  parked: retryParked,
  reconcile,
  consolidate: consolidatePhase,
  ripen: ripenPhase,
};

/** Keeps what the sleep came to, for `engraph sleep show`. */
async function keep(run: SleepRun): Promise<void> {
  const { space, runId } = run;
  const report = JSON.stringify(resultOf(run));
  await store().recordSleep.executeWithOptions({ summary: 'keep what the sleep came to' }, [{ space, runId, report }]);
}

async function goOn(run: SleepRun, { space, settings }: SleepInput): Promise<never> {
  await wf.condition(wf.allHandlersFinished);
  await wf.continueAsNew<typeof sleepWorkflow>({ space, ...(settings !== undefined && { settings }), carried: carriedFrom(run) });
  throw new wf.IllegalStateError('a workflow that continues as new has ended');
}
