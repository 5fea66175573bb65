import type { DataConverter } from '@temporalio/common';
import { Worker, type NativeConnection } from '@temporalio/worker';

import type { JudgeInput, Judgement } from '../src/domain/agent.js';
import { feedbackOn, holds, type Fact } from './facts.js';

/** Name of the judge's activity on the demo's own task queue. */
export const JUDGE_ACTIVITY = 'checkAnswer';

/**
 * The demo's judge: knows the facts, by task, and tells whoever asks whether an answer holds. It lives in the demo's process;
 * neither agent nor model nor memory sees a fact.
 */
export class Judge {
  readonly #facts = new Map<string, Fact>();

  expect(taskId: string, fact: Fact): void {
    this.#facts.set(taskId, fact);
  }

  /** The verdict on an answer to this task; what is wrong with it is told, never what would be right. */
  verdict(taskId: string, answer: string): Judgement {
    const fact = this.#facts.get(taskId);
    if (fact === undefined) throw new Error(`the judge knows nothing of task ${taskId}`);
    return holds(fact, answer) ? { success: true } : { success: false, feedback: feedbackOn(fact, answer) };
  }
}

/** Serves the judge's activity on a task queue until the function given back is called. */
export async function serveJudge(
  judge: Judge,
  where: { connection: NativeConnection; namespace: string; taskQueue: string; dataConverter: DataConverter },
): Promise<() => Promise<void>> {
  const checkAnswer = ({ taskId, action }: JudgeInput): Promise<Judgement> => Promise.resolve(judge.verdict(taskId, action));
  const worker = await Worker.create({ ...where, activities: { [JUDGE_ACTIVITY]: checkAnswer } });
  const running = worker.run();
  return async () => {
    worker.shutdown();
    await running;
  };
}
