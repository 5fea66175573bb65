import * as wf from '@temporalio/workflow';

import {
  addLane,
  hasFallen,
  NO_RECONCILE,
  type LaneInput,
  type ReconcileState,
  type WaitingQueue,
} from '../src/domain/sleep-result.js';
import type { ReconcileReport } from '../src/domain/sleep.js';
import { keyOf } from '../src/domain/space.js';
import { store, text } from './proxies.js';
import type { reconcileLane } from './sleep-lane.js';
import { isOver, showSleep, spend, tokensOf, whilePaused, type SleepRun } from './sleep-run.js';

const BEGIN: ReconcileState = { plan: 0, next: 'plan', waiting: [], started: 0, report: NO_RECONCILE };

/** Queues that one lane child is given at most: its history stays short, and a budget is looked at in between. */
const LANE_QUEUES = 25;

/**
 * Holds fresh facts against older ones (design.md 3.3, phases 1 and 2): plan by plan, each plan's queues in parallel lanes;
 * then the gate. Returns whether it is done; not done, no lane is at work and it goes on in a new run.
 */
export async function reconcile(run: SleepRun): Promise<boolean> {
  run.reconcile ??= BEGIN;
  for (let state = run.reconcile; state.next !== 'end'; state = run.reconcile) {
    await whilePaused(run);
    if (isOver(run) && state.next === 'plan') run.reconcile = { ...state, next: 'gate' };
    else run.reconcile = await STEPS[state.next](run, state);
    showSleep(run);
    if (wf.workflowInfo().continueAsNewSuggested && run.reconcile.next !== 'end') return false;
  }
  return true;
}

const STEPS = { plan, lanes, settle, gate };

async function plan(run: SleepRun, state: ReconcileState): Promise<ReconcileState> {
  const { space, runId, settings } = run;
  const { after, report } = state;
  const planned = await text().planReconcile.executeWithOptions({ summary: `plan ${state.plan}: fresh facts and their queues` }, [
    { space, runId, plan: state.plan, planFacts: settings.reconcile.planFacts, ...(after !== undefined && { after }) },
  ]);
  const { after: _done, ...rest } = state;
  return {
    ...rest,
    ...(planned.next !== undefined && { after: planned.next }),
    next: 'lanes',
    waiting: longestFirst(planned.queues),
    report: {
      ...report,
      fresh: report.fresh + planned.fresh,
      queues: report.queues + planned.queues.length,
      targets: report.targets + planned.queues.reduce((sum, targets) => sum + targets, 0),
      cut: report.cut + planned.cut,
    },
  };
}

/** So many of the queues, spread evenly over them from the first on: each lane has its share of the long ones. */
function deal(waiting: readonly WaitingQueue[], count: number): { dealt: WaitingQueue[]; left: WaitingQueue[] } {
  const stride = Math.max(1, Math.floor(waiting.length / count));
  const isDealt = (at: number): boolean => at % stride === 0 && at < stride * count;
  return { dealt: waiting.filter((_, at) => isDealt(at)), left: waiting.filter((_, at) => !isDealt(at)) };
}

/** The largest begin first, so that no lane works alone at the end. */
function longestFirst(queues: readonly number[]): WaitingQueue[] {
  return queues.map((targets, queue) => ({ queue, targets })).sort((a, b) => b.targets - a.targets || a.queue - b.queue);
}

/** Keeps lanes at work until no queue waits, or nothing more is to be begun; then they are drained. */
async function lanes(run: SleepRun, begun: ReconcileState): Promise<ReconcileState> {
  let state = begun;
  if (isFirst(state)) state = { ...state, report: { ...state.report, ...(await measure(run, 'before')) } };
  run.reconcile = state;
  const size = Math.ceil(state.waiting.length / run.settings.reconcile.lanes);
  const each = Math.max(1, Math.min(LANE_QUEUES, size));
  let failure: unknown;
  const work = async (): Promise<void> => {
    while (!isOver(run) && failure === undefined && !wf.workflowInfo().continueAsNewSuggested) {
      const { waiting, started } = run.reconcile ?? state;
      if (waiting.length === 0) return;
      const { dealt, left } = deal(waiting, each);
      run.reconcile = { ...(run.reconcile ?? state), waiting: left, started: started + 1 };
      await oneLane(run, state.plan, started, dealt);
    }
  };
  const all = Array.from({ length: run.settings.reconcile.lanes }, () => work().catch((error: unknown) => (failure ??= error)));
  await Promise.all(all);
  if (failure !== undefined) throw failure as Error;
  const ended = run.reconcile;
  return ended.waiting.length > 0 && !isOver(run) ? ended : { ...ended, next: 'settle' };
}

const isFirst = ({ plan: at, report }: ReconcileState): boolean => at === 0 && report.before === undefined;

async function oneLane(run: SleepRun, plan: number, number: number, queues: readonly WaitingQueue[]): Promise<void> {
  const { space, runId, settings, paused } = run;
  const { maxTokens, maxSeconds, dryRun } = settings;
  const input: LaneInput = {
    ...{ space, runId, plan, queues, dryRun, paused },
    // A share of what is left: eight lanes that each spent all of it would spend it eight times.
    ...(maxTokens !== undefined && {
      maxTokens: Math.max(1, Math.ceil((maxTokens - tokensOf(run.spent)) / settings.reconcile.lanes)),
    }),
    ...(maxSeconds !== undefined && { deadline: run.startedAt + 1_000 * maxSeconds }),
  };
  const lane = await wf.startChild<typeof reconcileLane>('reconcileLane', {
    workflowId: `sleep/${keyOf(space)}/${runId}/${plan}.${number}`,
    args: [input],
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    parentClosePolicy: 'REQUEST_CANCEL',
    staticSummary: `${queues.length} update queues`,
  });
  run.lanes.add(lane);
  try {
    const done = await lane.result();
    spend(run, done.spent);
    const state = run.reconcile ?? BEGIN;
    run.reconcile = { ...state, report: addLane(state.report, done), waiting: [...done.skipped, ...state.waiting] };
    if (done.halted !== undefined) run.end ??= 'halted';
  } finally {
    run.lanes.delete(lane);
    showSleep(run);
  }
}

/** What has nothing near it is fresh no more. */
async function settle(run: SleepRun, state: ReconcileState): Promise<ReconcileState> {
  const { space, runId, settings } = run;
  const next: ReconcileState =
    state.after === undefined || isOver(run) ? { ...state, next: 'gate' } : { ...state, plan: state.plan + 1, next: 'plan' };
  if (settings.dryRun) return { ...state, next: 'end' };
  await store().settlePlan.executeWithOptions({ summary: 'facts with nothing near them are settled' }, [
    { space, runId, plan: state.plan },
  ]);
  return next;
}

/** Recall must not have fallen; where it has, the whole run is undone. */
async function gate(run: SleepRun, state: ReconcileState): Promise<ReconcileState> {
  const { space, runId } = run;
  const { report } = state;
  const changed = report.revised + report.retired + report.inserted > 0;
  if (report.before === undefined || !changed) return { ...state, next: 'end' };
  const { after } = await measure(run, 'after');
  const fallen = hasFallen(report.before, after);
  const told = { ...report, ...(after !== undefined && { after }) };
  if (!fallen) return { ...state, next: 'end', report: told };
  const undone = await text().undoSleep.executeWithOptions({ summary: 'recall fell: undo the phase' }, [{ space, runId }]);
  return { ...state, next: 'end', report: { ...told, undone: undone.inTheWay.length === 0 } };
}

async function measure(run: SleepRun, when: 'before' | 'after'): Promise<Pick<ReconcileReport, 'before' | 'after'>> {
  const { space, runId, settings } = run;
  const { gate: isGated, gateSample: sample } = settings.reconcile;
  if (!isGated || settings.dryRun) return {};
  const told = await text().measureRecall.executeWithOptions({ summary: `recall of facts ${when} the phase` }, [
    { space, runId, when, sample },
  ]);
  return { [when]: told };
}
