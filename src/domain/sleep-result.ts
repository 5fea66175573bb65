import { addSpent, NOTHING_SPENT, type Totals } from './refinement.js';
import type { SkillsReport } from './skills.js';
import type { ParkedReport, ReconcileReport, SelfRecall, SleepEnd, SleepPhase, SleepRequest } from './sleep.js';
import { NO_VERDICTS, VERDICTS, type VerdictCounts } from './update-queue.js';

/** A queue that waits for a lane. */
export interface WaitingQueue {
  readonly queue: number;
  /** Facts of it that may cost a model call. */
  readonly targets: number;
}

/** Where the reconciliation stands. */
export interface ReconcileState {
  readonly plan: number;
  /** Where the next plan begins; absent before the first and after the last. */
  readonly after?: string;
  /** What is to be done next. */
  readonly next: 'plan' | 'lanes' | 'settle' | 'gate' | 'end';
  readonly waiting: readonly WaitingQueue[];
  /** Lanes started so far, which names the next one. */
  readonly started: number;
  readonly report: ReconcileReport;
}

/** What one run of a sleep hands to the next: numbers and references, never text. */
export interface CarriedSleep {
  readonly phases: readonly SleepPhase[];
  readonly startedAt: number;
  readonly paused: boolean;
  /** Parked batches that this sleep has tried. */
  readonly tried: readonly string[];
  readonly parked?: ParkedReport;
  readonly reconcile?: ReconcileState;
  readonly skills?: SkillsReport;
  readonly spent: Totals;
  readonly end?: SleepEnd;
}

/** Input of `sleepWorkflow`. */
export interface SleepInput {
  readonly space: string;
  readonly settings?: SleepRequest;
  /** Given by the run before. */
  readonly carried?: CarriedSleep;
}

/** What a sleep came to. */
export interface SleepResult {
  /** Names the sleep for `engraph sleep show` and `undo`. */
  readonly runId: string;
  readonly space: string;
  readonly end: SleepEnd;
  readonly dryRun: boolean;
  readonly seconds: number;
  readonly parked?: ParkedReport;
  readonly reconcile?: ReconcileReport;
  readonly skills?: SkillsReport;
  readonly spent: Totals;
}

/** What the `progress` query tells of a sleep that runs. */
export interface SleepProgress extends Omit<SleepResult, 'end'> {
  /** Phases that are not done yet; the first is at work. */
  readonly phases: readonly SleepPhase[];
  readonly paused: boolean;
  /** Queues that wait for a lane, and lanes at work. */
  readonly waiting: number;
  readonly lanes: number;
  readonly end?: SleepEnd;
}

/** Input of `reconcileLane`, a child of a sleep. */
export interface LaneInput {
  readonly space: string;
  readonly runId: string;
  readonly plan: number;
  readonly queues: readonly WaitingQueue[];
  readonly dryRun: boolean;
  readonly paused: boolean;
  /** Tokens left to spend when the lane was started; no limit where absent. */
  readonly maxTokens?: number;
  /** No queue is begun from this moment on, milliseconds since 1970. */
  readonly deadline?: number;
}

/** What a lane came to. */
export interface LaneReport extends Pick<
  ReconcileReport,
  'mergedWithoutModel' | 'verdicts' | 'refused' | 'revised' | 'retired' | 'inserted' | 'left' | 'models' | 'spent'
> {
  /** Queues that it did not begin. */
  readonly skipped: readonly WaitingQueue[];
  /** Set where every further queue would fail in the same way: the model has no quota, or does not know us. */
  readonly halted?: string;
}

export const NO_LANE: LaneReport = {
  mergedWithoutModel: 0,
  verdicts: NO_VERDICTS,
  refused: [],
  ...{ revised: 0, retired: 0, inserted: 0 },
  ...{ left: [], models: [] },
  spent: NOTHING_SPENT,
  skipped: [],
};

export const NO_RECONCILE: ReconcileReport = {
  ...{ fresh: 0, queues: 0, targets: 0, cut: 0 },
  mergedWithoutModel: 0,
  verdicts: NO_VERDICTS,
  refused: [],
  ...{ revised: 0, retired: 0, inserted: 0 },
  ...{ left: [], models: [] },
  undone: false,
  spent: NOTHING_SPENT,
};

/** Refused numbers that a report names; how many there were in all is in the lanes' own results. */
const REFUSED_SHOWN = 200;

/** The report with what a lane did. */
export function addLane(report: ReconcileReport, lane: LaneReport): ReconcileReport {
  const sum = (name: 'mergedWithoutModel' | 'revised' | 'retired' | 'inserted'): number => report[name] + lane[name];
  return {
    ...report,
    mergedWithoutModel: sum('mergedWithoutModel'),
    ...{ revised: sum('revised'), retired: sum('retired'), inserted: sum('inserted') },
    verdicts: addVerdicts(report.verdicts, lane.verdicts),
    refused: [...report.refused, ...lane.refused].slice(0, REFUSED_SHOWN),
    left: [...report.left, ...lane.left],
    models: [...new Set([...report.models, ...lane.models])],
    spent: addSpent(report.spent, lane.spent),
  };
}

/** How often each verdict was given in both. */
export function addVerdicts(some: VerdictCounts, more: VerdictCounts): VerdictCounts {
  return Object.fromEntries(VERDICTS.map((verdict) => [verdict, some[verdict] + more[verdict]])) as unknown as VerdictCounts;
}

/** Whether the gate is to undo what was done: fewer of the sample are found than before. */
export const hasFallen = (before: SelfRecall | undefined, after: SelfRecall | undefined): boolean =>
  before !== undefined && after !== undefined && after.recall10 < before.recall10;

/** A sleep's progress as a Markdown table, for the details in the UI. */
export function sleepTable({ phases, paused, waiting, lanes, parked, reconcile, skills, spent, end }: SleepProgress): string {
  const rows: [string, string][] = [
    ['at work on', phases[0] === undefined ? 'nothing more' : `${phases[0]}${paused ? ', paused' : ''}`],
    ...(parked === undefined ? [] : [['parked batches', `${parked.batches} tried, ${parked.still} wait on`] as [string, string]]),
    ...(reconcile === undefined ? [] : reconcileRows(reconcile, waiting, lanes)),
    ...(skills === undefined ? [] : skillRows(skills)),
    ['model calls', `${spent.calls}, ${spent.inputTokens} tokens in, ${spent.outputTokens} out`],
    ...(end === undefined || end === 'done' ? [] : [['ended early', end] as [string, string]]),
  ];
  return ['| | |', '| --- | --- |', ...rows.map(([name, told]) => `| ${name} | ${told} |`)].join('\n');
}

function skillRows({ episodes, joined, clusters, waiting, induced, revised, ripened }: SkillsReport): [string, string][] {
  const mature = ripened.filter(({ lifecycle }) => lifecycle === 'mature').length;
  const retired = ripened.filter(({ lifecycle }) => lifecycle === 'retired').length;
  return [
    ['new episodes', `${episodes}: ${joined} joined a skill, ${clusters} clusters of others, ${waiting} wait`],
    [
      'skills',
      `${induced.length} new, ${revised.length} revised, ${ripened.length} ripened: ${mature} mature, ${retired} retired`,
    ],
  ];
}

function reconcileRows(report: ReconcileReport, waiting: number, lanes: number): [string, string][] {
  const { fresh, queues, targets, mergedWithoutModel, verdicts, left, before, after, undone } = report;
  const given = VERDICTS.filter((verdict) => verdicts[verdict] > 0).map((verdict) => `${verdicts[verdict]} ${verdict}`);
  const share = ({ recall10 }: SelfRecall): string => `${Math.round(1_000 * recall10) / 10} %`;
  return [
    ['fresh facts', `${fresh}, in ${queues} queues with ${targets} targets; ${waiting} queues wait, ${lanes} lanes work`],
    ['merged without a model', String(mergedWithoutModel)],
    ['verdicts', given.join(', ') || 'none'],
    ...(left.length > 0 ? [['queues left for the next sleep', String(left.length)] as [string, string]] : []),
    ...(before === undefined ? [] : [['recall before', share(before)] as [string, string]]),
    ...(after === undefined
      ? []
      : [['recall after', `${share(after)}${undone ? ', so it was undone' : ''}`] as [string, string]]),
  ];
}
