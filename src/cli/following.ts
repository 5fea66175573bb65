import { setTimeout as wait } from 'node:timers/promises';

import type { TaskResult } from '../domain/refinement.js';
import type { RoundsTold, TaskHandle } from '../task-handle.js';
import type { Output } from './output.js';
import { repairInWords, roundInWords } from './telling-rounds.js';

/** Between two looks at a running task, in milliseconds. */
const LOOK_MS = 500;

/** Waits for a task's end and tells each round once, and each repair once it is known: `{ "round": … }` with `--json`. */
export async function followTask(handle: TaskHandle, output: Output): Promise<TaskResult> {
  const tell = teller(handle, output);
  const looking = new AbortController();
  const result = handle.result().finally(() => looking.abort());
  const looks = look(handle, tell, looking.signal, output);
  try {
    return await result;
  } finally {
    await looks;
  }
}

/** Looks until the task has ended, and once more. That nobody answers is told, not the end of waiting: the task goes on. */
async function look(handle: TaskHandle, tell: (told: RoundsTold) => void, ended: AbortSignal, output: Output): Promise<void> {
  const end = new Promise((resolve) => ended.addEventListener('abort', resolve, { once: true }));
  let silent = false;
  for (let last = false; ; last = ended.aborted) {
    try {
      tell(await handle.rounds());
      silent = false;
    } catch (error) {
      if (!silent)
        output.note(
          `no news of the rounds (${error instanceof Error ? error.message : String(error)}); still waiting for the end`,
        );
      silent = true;
    }
    if (last) return;
    await Promise.race([wait(LOOK_MS), end]);
  }
}

function teller({ taskId }: TaskHandle, output: Output): (told: RoundsTold) => void {
  const told = new Set<string>();
  const once = (key: string, say: () => void): void => {
    if (told.has(key)) return;
    told.add(key);
    say();
  };
  return ({ rounds, status, current, waiting }) => {
    for (const report of rounds) {
      const key = `${report.step}.${report.round}`;
      const repaired = report.attribution !== undefined;
      if (!output.json) once(key, () => output.line(roundInWords(report)));
      else if (repaired || report !== rounds.at(-1) || current === undefined)
        once(key, () => output.line(JSON.stringify({ round: report })));
      const repair = repairInWords(report);
      if (!output.json && repair !== undefined) once(`${key} repair`, () => output.line(repair));
    }
    if (status !== 'awaiting_judgement' || current === undefined) return;
    once(`${current.step}.${current.round} judge`, () => {
      output.note(
        `step ${current.step}, round ${current.round} answers: ${waiting ?? ''}\nand waits for your word: engraph judge ${taskId} --success, or --failure --feedback "…"`,
      );
    });
  };
}
