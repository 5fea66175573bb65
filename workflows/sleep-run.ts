import { defineSearchAttributeKey } from '@temporalio/common';
import * as wf from '@temporalio/workflow';

import type { reconcileLane } from './sleep-lane.js';
import { idOf } from '../src/domain/id.js';
import { addSpent, NOTHING_SPENT, type Totals } from '../src/domain/refinement.js';
import { keyOf } from '../src/domain/space.js';
import type { SkillsReport } from '../src/domain/skills.js';
import type { ParkedReport, SleepEnd, SleepPhase, SleepSettings } from '../src/domain/sleep.js';
import {
  sleepTable,
  type CarriedSleep,
  type ReconcileState,
  type SleepProgress,
  type SleepResult,
} from '../src/domain/sleep-result.js';
import { pauseSignal, progressQuery, resumeSignal, stopSignal } from './messages-sleep.js';

/** Everything that a sleep has come to. Plain data but for the handles of its lanes, which are drained before it goes on in a new run. */
export interface SleepRun {
  readonly space: string;
  readonly runId: string;
  readonly settings: SleepSettings;
  readonly startedAt: number;
  /** What is left to do; the first is at work. */
  phases: readonly SleepPhase[];
  paused: boolean;
  end: SleepEnd | undefined;
  tried: readonly string[];
  parked: ParkedReport | undefined;
  reconcile: ReconcileState | undefined;
  skills: SkillsReport | undefined;
  spent: Totals;
  readonly lanes: Set<wf.ChildWorkflowHandle<typeof reconcileLane>>;
}

const SPACE = defineSearchAttributeKey('EngraphSpace', 'KEYWORD');

/** A sleep that has done nothing yet, with what the run before handed over. It listens from here on. */
export function beginSleep(space: string, settings: SleepSettings, carried?: CarriedSleep): SleepRun {
  wf.upsertSearchAttributes([{ key: SPACE, value: keyOf(space) }]);
  const run: SleepRun = {
    space,
    runId: idOf('sleep', space, wf.workflowInfo().firstExecutionRunId),
    settings,
    startedAt: carried?.startedAt ?? Date.now(),
    phases: carried?.phases ?? settings.phases,
    paused: carried?.paused ?? false,
    end: carried?.end,
    tried: carried?.tried ?? [],
    parked: carried?.parked,
    reconcile: carried?.reconcile,
    skills: carried?.skills,
    spent: carried?.spent ?? NOTHING_SPENT,
    lanes: new Set(),
  };
  wf.setHandler(progressQuery, () => progressOf(run));
  wf.setHandler(pauseSignal, async () => {
    run.paused = true;
    await tellLanes(run, pauseSignal);
  });
  wf.setHandler(resumeSignal, async () => {
    run.paused = false;
    await tellLanes(run, resumeSignal);
  });
  wf.setHandler(stopSignal, async () => {
    run.end ??= 'stopped';
    await tellLanes(run, stopSignal);
  });
  return run;
}

/** A lane that ended meanwhile needs no telling. */
async function tellLanes(run: SleepRun, signal: wf.SignalDefinition): Promise<void> {
  showSleep(run);
  await Promise.allSettled([...run.lanes].map((lane) => lane.signal(signal)));
}

/** What the next run needs. No lane is at work when it is taken. */
export function carriedFrom({ phases, startedAt, paused, tried, parked, reconcile, skills, spent, end }: SleepRun): CarriedSleep {
  return {
    ...{ phases, startedAt, paused, tried, spent },
    ...(parked !== undefined && { parked }),
    ...(reconcile !== undefined && { reconcile }),
    ...(skills !== undefined && { skills }),
    ...(end !== undefined && { end }),
  };
}

/** Whether nothing new may be begun, and why: told to stop, or a budget is used up. */
export function isOver(run: SleepRun): boolean {
  const { maxTokens, maxSeconds } = run.settings;
  if (maxTokens !== undefined && tokensOf(run.spent) >= maxTokens) run.end ??= 'tokens';
  if (maxSeconds !== undefined && Date.now() >= run.startedAt + 1_000 * maxSeconds) run.end ??= 'time';
  return run.end !== undefined;
}

export const tokensOf = ({ inputTokens, outputTokens }: Totals): number => inputTokens + outputTokens;

/** Counts what model calls cost. */
export function spend(run: SleepRun, spent: Partial<Totals>): void {
  run.spent = addSpent(run.spent, spent);
}

/** Waits while the sleep is paused, unless it is told to stop. */
export const whilePaused = async (run: SleepRun): Promise<void> => await wf.condition(() => !run.paused || run.end !== undefined);

/** Keeps the table in the UI current. */
export const showSleep = (run: SleepRun): void => wf.setCurrentDetails(sleepTable(progressOf(run)));

function progressOf(run: SleepRun): SleepProgress {
  return {
    ...told(run),
    phases: run.phases,
    paused: run.paused,
    waiting: run.reconcile?.waiting.length ?? 0,
    lanes: run.lanes.size,
    ...(run.end !== undefined && { end: run.end }),
  };
}

/** What the sleep came to. */
export const resultOf = (run: SleepRun): SleepResult => ({ ...told(run), end: run.end ?? 'done' });

function told({ runId, space, settings, startedAt, parked, reconcile, skills, spent }: SleepRun): Omit<SleepResult, 'end'> {
  return {
    ...{ runId, space, dryRun: settings.dryRun, seconds: Math.round((Date.now() - startedAt) / 100) / 10 },
    ...(parked !== undefined && { parked }),
    ...(reconcile !== undefined && { reconcile: reconcile.report }),
    ...(skills !== undefined && { skills }),
    spent,
  };
}
