import { defineSearchAttributeKey } from '@temporalio/common';
import * as wf from '@temporalio/workflow';

import type { Promotion } from '../activities/contract.js';
import { claim, type Text } from '../src/domain/claim.js';
import type { FeedbackSource, StepLink } from '../src/domain/graph.js';
import {
  addSpent,
  NOTHING_SPENT,
  roundsTable,
  type EndReason,
  type RoundReport,
  type Saved,
  type Spent,
  type StepReceipt,
  type TaskResult,
  type Totals,
} from '../src/domain/refinement.js';
import { keyOf } from '../src/domain/space.js';
import type { Task } from '../src/domain/task.js';
import { endQuery, judgeUpdate, receiptQuery, roundsQuery, type HumanJudgement, type TaskRounds } from './messages.js';

/** One act of the task as workflows carry it: texts as claims. */
export interface ActTexts {
  readonly observation: Text;
  readonly action: Text;
}

/** Everything that one run of a task has come to. Plain data: the steps write it, the queries and the record read it. */
export interface TaskRun {
  readonly task: Task;
  status: TaskRounds['status'];
  current: { step: number; round: number } | undefined;
  readonly rounds: RoundReport[];
  readonly acts: StepLink[];
  readonly trajectory: ActTexts[];
  readonly receipts: StepReceipt[];
  readonly promotions: Promotion[];
  spent: Totals;
  agentSpent: Totals;
  readonly models: string[];
  saved: Saved | undefined;
  /** Skills in the context of the latest round, and of those that went well. */
  readonly inherited: Set<string>;
  executions: number;
  answer: string;
  feedback: Text;
  feedbackSource: FeedbackSource;
  judgement: HumanJudgement | undefined;
  result: TaskResult | null;
}

/** A step ends well, or it ends the task. */
export type StepEnd =
  { readonly then: 'continue'; readonly observation: string } | { readonly then: 'end'; readonly reason: EndReason };

/** A run that has done nothing yet, with its queries and its update in place. */
export function beginRun(task: Task, none: Text): TaskRun {
  const run: TaskRun = {
    task,
    status: 'running',
    current: { step: 0, round: 0 },
    rounds: [],
    acts: [],
    trajectory: [],
    receipts: [],
    promotions: [],
    spent: NOTHING_SPENT,
    agentSpent: NOTHING_SPENT,
    models: [],
    saved: undefined,
    inherited: new Set(),
    executions: 0,
    answer: '',
    feedback: none,
    feedbackSource: 'none',
    judgement: undefined,
    result: null,
  };
  wf.setHandler(roundsQuery, () => ({
    status: run.status,
    ...(run.current && { current: run.current }),
    ...(run.status === 'awaiting_judgement' && { waiting: claim(task.space, run.answer) }),
    rounds: run.rounds,
    spent: run.spent,
    agentSpent: run.agentSpent,
    models: run.models,
  }));
  wf.setHandler(receiptQuery, () => run.receipts);
  wf.setHandler(endQuery, () => run.result);
  wf.setHandler(judgeUpdate, (judgement) => acceptJudgement(run, judgement), {
    validator: (judgement) => refuseJudgement(run, judgement),
  });
  wf.upsertSearchAttributes([
    { key: SPACE, value: keyOf(task.space) },
    { key: OUTCOME, value: 'running' },
    { key: ROUND, value: 0 },
  ]);
  return run;
}

const SPACE = defineSearchAttributeKey('EngraphSpace', 'KEYWORD');
const OUTCOME = defineSearchAttributeKey('EngraphOutcome', 'KEYWORD');
const ROUND = defineSearchAttributeKey('EngraphRound', 'INT');

/** Tells Temporal's list and the UI which round runs. */
export function enterRound(run: TaskRun, step: number, round: number): void {
  if (round !== (run.current?.round ?? 0)) wf.upsertSearchAttributes([{ key: ROUND, value: round }]);
  run.current = { step, round };
}

/** Tells Temporal's list and the UI that the task has ended, and how. */
export function tellOutcome(run: TaskRun, outcome: 'succeeded' | 'failed' | 'cancelled'): void {
  run.status = outcome;
  run.current = undefined;
  wf.upsertSearchAttributes([{ key: OUTCOME, value: outcome }]);
  showRounds(run);
}

/** Keeps the table of rounds in the UI current. */
export function showRounds(run: TaskRun): void {
  wf.setCurrentDetails(roundsTable(run.status.replaceAll('_', ' '), run.rounds, run.models));
}

/** Adds what a model call of ours cost. */
export function spend(run: TaskRun, spent: Spent): Spent {
  run.spent = addSpent(run.spent, spent);
  if (spent.calls > 0 && !run.models.includes(spent.model)) run.models.push(spent.model);
  return spent;
}

function acceptJudgement(run: TaskRun, judgement: HumanJudgement): { step: number; round: number } {
  run.judgement = judgement;
  return run.current ?? { step: 0, round: 0 };
}

/** Synchronous on purpose: a validator that returns a rejected promise stalls the workflow and refuses nothing. */
function refuseJudgement(run: TaskRun, judgement: HumanJudgement): void {
  const refuse = (why: string): never => {
    throw wf.ApplicationFailure.nonRetryable(why, 'validation');
  };
  if (typeof judgement !== 'object' || judgement === null || typeof judgement.success !== 'boolean') {
    refuse('a judgement is { success: true | false, feedback?: text }');
  }
  if (judgement.feedback !== undefined && typeof judgement.feedback !== 'string') refuse('feedback must be text');
  if (run.status !== 'awaiting_judgement' || run.current === undefined)
    refuse(`no round waits for a judgement: the task is ${run.status.replaceAll('_', ' ')}`);
  const { step, round } = run.current as { step: number; round: number };
  if ((judgement.step ?? step) !== step || (judgement.round ?? round) !== round) {
    refuse(
      `step ${judgement.step ?? step}, round ${judgement.round ?? round} does not wait for a judgement; step ${step}, round ${round} does`,
    );
  }
  if (run.judgement !== undefined) refuse(`step ${step}, round ${round} has been judged already`);
}
