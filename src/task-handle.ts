import type { WorkflowHandle } from '@temporalio/client';

import { endQuery, judgeUpdate, receiptQuery, roundsQuery, type HumanJudgement, type TaskRounds } from '../workflows/messages.js';
import type { Text } from './domain/claim.js';
import type { RoundReport, StepReceipt, TaskResult } from './domain/refinement.js';
import type { Texts } from './store/texts.js';
import { failureOf, wasCancelled } from './workflow-failures.js';

/** A round with its texts read: what the agent did, and what was wrong with it. */
export type RoundTold = Omit<RoundReport, 'action' | 'feedback'> & { readonly action: string; readonly feedback?: string };

/** A task's rounds as a person reads them. */
export type RoundsTold = Omit<TaskRounds, 'rounds' | 'waiting'> & {
  readonly rounds: readonly RoundTold[];
  readonly waiting?: string;
};

/** One task: its result, its rounds while it runs and after, and a person's word on it. */
export class TaskHandle {
  readonly space: string;
  readonly taskId: string;
  readonly #handle: WorkflowHandle;
  readonly #texts: Texts;

  constructor(handle: WorkflowHandle, { space, taskId, texts }: { space: string; taskId: string; texts: Texts }) {
    this.#handle = handle;
    this.space = space;
    this.taskId = taskId;
    this.#texts = texts;
  }

  get workflowId(): string {
    return this.#handle.workflowId;
  }

  /** Waits for the end. A failed task is a result, and so is a cancelled one (asked of a worker, since Temporal keeps none); fails with the kind of a part of Engraph that failed for good. */
  async result(): Promise<TaskResult> {
    try {
      return (await this.#handle.result()) as TaskResult;
    } catch (error) {
      const result = wasCancelled(error) ? await this.#ask(() => this.#handle.query(endQuery)) : null;
      if (result !== null) return result;
      throw failureOf(error);
    }
  }

  /** Every round so far, with why each link was made, what failed, what was edited and what it cost. Needs a running worker. */
  async rounds(): Promise<RoundsTold> {
    const told = await this.#ask(() => this.#handle.query(roundsQuery));
    const rounds: RoundTold[] = [];
    for (const { action, feedback, ...report } of told.rounds) {
      rounds.push({ ...report, action: await this.#read(action), ...(feedback && { feedback: await this.#read(feedback) }) });
    }
    const { waiting, ...rest } = told;
    return { ...rest, rounds, ...(waiting && { waiting: await this.#read(waiting) }) };
  }

  /** Which node led to which step. */
  async receipt(): Promise<readonly StepReceipt[]> {
    return await this.#ask(() => this.#handle.query(receiptQuery));
  }

  /** A person's word on the round that waits for it. `updateId` makes sending it again harmless. */
  async judge(judgement: HumanJudgement, { updateId }: { updateId?: string } = {}): Promise<{ step: number; round: number }> {
    return await this.#ask(() =>
      this.#handle.executeUpdate(judgeUpdate, { args: [judgement], ...(updateId !== undefined && { updateId }) }),
    );
  }

  /** Asks the task to stop; what there is of it is recorded as `cancelled`. */
  async cancel(): Promise<void> {
    await this.#ask(() => this.#handle.cancel());
  }

  async #ask<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      throw failureOf(error);
    }
  }

  async #read(text: Text): Promise<string> {
    return 'engraph:ref' in text ? await this.#texts.read(this.space, text['engraph:ref']) : text['engraph:claim'].text;
  }
}
