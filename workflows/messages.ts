import { defineQuery, defineUpdate } from '@temporalio/workflow';

import type { Text } from '../src/domain/claim.js';
import type { RoundReport, StepReceipt, TaskResult, Totals } from '../src/domain/refinement.js';

/** A person's word on the round that waits for it. `step` and `round`, where given, must be those that wait. */
export interface HumanJudgement {
  readonly success: boolean;
  readonly feedback?: string;
  readonly step?: number;
  readonly round?: number;
}

/** What a running or ended task tells of its rounds. */
export interface TaskRounds {
  readonly status: 'running' | 'awaiting_judgement' | 'succeeded' | 'failed' | 'cancelled';
  /** The round that runs or waits for a judgement; absent once the task has ended. */
  readonly current?: { readonly step: number; readonly round: number };
  /** The answer that waits for a person's judgement, while one does. */
  readonly waiting?: Text;
  readonly rounds: readonly RoundReport[];
  readonly spent: Totals;
  readonly agentSpent: Totals;
  readonly models: readonly string[];
}

/** Judges the round that waits for a person; answers which round that was. Refused with `validation` when none waits. */
export const judgeUpdate = defineUpdate<{ step: number; round: number }, [HumanJudgement]>('judge');

/** Every round so far: what was linked and why, what failed, what was edited, what it cost. */
export const roundsQuery = defineQuery<TaskRounds>('rounds');

/** What the task came to, once it has ended: for a cancelled one too, which Temporal gives no result. */
export const endQuery = defineQuery<TaskResult | null>('end');

/** Which node led to which step. */
export const receiptQuery = defineQuery<readonly StepReceipt[]>('receipt');
