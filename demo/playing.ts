import { setTimeout as wait } from 'node:timers/promises';

import type { EngraphClient } from '../src/client.js';
import type { TaskRequest } from '../src/domain/task.js';
import type { TaskResult } from '../src/domain/refinement.js';
import type { RoundsTold, TaskHandle } from '../src/task-handle.js';
import type { DemoTask } from './draw.js';
import { JUDGE_ACTIVITY, type Judge } from './judge.js';

/** A task as it went. */
export interface Played {
  readonly task: DemoTask;
  readonly workflowId: string;
  readonly result: TaskResult;
  readonly told: RoundsTold;
  /** Judgements that the demo sent as a person's update. */
  readonly judgements: number;
}

/** How often a person looks whether an answer waits for a word, in milliseconds. */
const LOOKS_MS = 150;

/** A task on its way. */
export interface Playing {
  readonly handle: TaskHandle;
  readonly played: Promise<Played>;
  isOver(): boolean;
}

/** Starts one of the demo's tasks: the built-in agent, judged by the demo's activity or, where its role says so, by a person. */
export async function startTask(
  client: EngraphClient,
  judge: Judge,
  space: string,
  judgeQueue: string,
  task: DemoTask,
): Promise<Playing> {
  const { taskId, role, question } = task;
  judge.expect(taskId, question.fact);
  const byPerson = role === 'person';
  const request: TaskRequest = {
    ...{ space, taskId, instruction: question.instruction },
    judge: byPerson ? { by: 'human', timeoutMs: 120_000 } : { by: 'activity', taskQueue: judgeQueue, activity: JUDGE_ACTIVITY },
  };
  const handle = await client.startTask(request);
  let over = false;
  const ending = handle.result().finally(() => (over = true));
  const isOver = (): boolean => over;
  const judging = byPerson ? judgeAsPerson(handle, judge, isOver) : Promise.resolve(0);
  const played = Promise.all([ending, judging]).then(async ([result, judgements]) => ({
    task,
    workflowId: handle.workflowId,
    result,
    judgements,
    told: await handle.rounds(),
  }));
  return { handle, played, isOver };
}

/** Plays the person: looks at each answer that waits, and sends a word on it as an update. Gives how many it sent. */
async function judgeAsPerson(handle: TaskHandle, judge: Judge, isOver: () => boolean): Promise<number> {
  let sent = 0;
  while (!isOver()) {
    await wait(LOOKS_MS);
    const waiting = isOver() ? undefined : await answerThatWaits(handle);
    if (waiting === undefined) continue;
    const { round, answer } = waiting;
    await handle.judge({ ...judge.verdict(handle.taskId, answer), step: 0, round }, { updateId: `judge-${round}` });
    sent += 1;
  }
  return sent;
}

async function answerThatWaits(handle: TaskHandle): Promise<{ round: number; answer: string } | undefined> {
  const { status, current, waiting } = await handle.rounds();
  return status === 'awaiting_judgement' && current !== undefined && waiting !== undefined
    ? { round: current.round, answer: waiting }
    : undefined;
}
