import { editsOf } from './checks.js';
import type { ActivityRecord } from './history.js';
import type { Killed } from './killing.js';
import type { Played } from './playing.js';
import { short, table } from './telling.js';

/** What the demo came to, as data. */
export interface DemoReport {
  readonly seed: number;
  readonly space: string;
  readonly model: string;
  readonly documents: number;
  readonly chunks: number;
  readonly tasks: readonly TaskReport[];
  readonly killed?: Killed & { readonly resumed: readonly ActivityRecord[] };
  /** How it differs from what was promised; empty where all was kept. */
  readonly differences: readonly string[];
}

export interface TaskReport {
  readonly taskId: string;
  readonly topic: string;
  readonly instruction: string;
  readonly answer: string;
  readonly rounds: number;
  readonly edits: readonly string[];
  readonly outcome: string;
  readonly modelCalls: number;
  readonly tokens: number;
}

/** What a repair was and came to, in a few words. */
export function repairInWords(edits: readonly string[], acts: Played['told']['rounds'][number]['acts']): string {
  const count = (act: string): number => acts.filter((one) => one.act === act).length;
  const did: Readonly<Record<string, string>> = {
    expand: `+${count('expands')} found by the feedback`,
    prune: `−${count('prunes')} links`,
    reshape: `${count('reshapes')} node rewritten`,
    bypass: 'no memory',
  };
  return edits.map((edit) => `${edit} (${did[edit] ?? ''})`).join(', ') || 'no edit';
}

/** What the table and the data tell of a task. */
export function reportOf({ task, result, told }: Played): TaskReport {
  const { spent, agentSpent } = result;
  return {
    ...{ taskId: task.taskId, topic: task.question.topic, instruction: task.question.instruction, answer: result.answer },
    ...{ rounds: result.executions, edits: editsOf(told.rounds), outcome: result.outcome },
    modelCalls: spent.calls + agentSpent.calls,
    tokens: spent.inputTokens + spent.outputTokens + agentSpent.inputTokens + agentSpent.outputTokens,
  };
}

/** The closing table. */
export function reportTable(reports: readonly TaskReport[]): string[] {
  return table(
    ['task', 'asked', 'rounds', 'edits', 'outcome', 'model calls', 'tokens'],
    reports.map(({ taskId, topic, rounds, edits, outcome, modelCalls, tokens }) => [
      taskId,
      short(topic, 44),
      rounds,
      edits.join(' ') || '–',
      outcome,
      modelCalls,
      tokens,
    ]),
  );
}
