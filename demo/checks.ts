import type { ActivityRecord } from './history.js';
import type { Played } from './playing.js';

/** What is looked at beside the result: the history, and the episodes in memory. */
export interface Evidence {
  readonly activities: readonly ActivityRecord[];
  /** Episodes of this task in memory. */
  readonly episodes: number;
  /** Whether the answer holds, by the judge. */
  readonly answerHolds: boolean;
  /** For a failed task: whether every semantic and procedural node is as it was. */
  readonly memoryUnchanged?: boolean;
}

/**
 * How a task differs from what the demo promised; nothing where it kept its word. What a rehearsal showed is promised for the
 * rules model only (`asRehearsed`); the rest holds whichever model serves.
 */
export function differences({ task, result, told, judgements }: Played, evidence: Evidence, asRehearsed: boolean): string[] {
  const { role, promised } = task;
  const found: string[] = [];
  const expect = (kept: boolean, otherwise: string): void => {
    if (!kept) found.push(`${task.taskId}: ${otherwise}`);
  };
  const executions = evidence.activities.filter(({ activity }) => activity === 'execute').length;
  expect(executions === result.repairs + 1, `${executions} calls of execute were scheduled for ${result.repairs} repairs`);
  expect(evidence.episodes === 1, `${evidence.episodes} episodes were recorded`);
  expect(
    evidence.answerHolds === (result.outcome === 'succeeded'),
    `it ${result.outcome}, and the judge ${evidence.answerHolds ? 'accepts' : 'refuses'} its answer`,
  );
  expect(evidence.memoryUnchanged !== false, 'it failed and changed memory');
  if (role === 'person')
    expect(judgements === result.repairs + 1, `${judgements} judgements were sent for ${result.repairs + 1} rounds`);
  if (role === 'impossible')
    expect(
      result.outcome === 'failed' && result.repairs === 5,
      `it ${result.outcome} after ${result.repairs} repairs instead of failing after 5`,
    );
  if (!asRehearsed) return found;
  expect((result.outcome === 'succeeded') === promised.success, `it ${result.outcome}, against its rehearsal`);
  expect(result.repairs === promised.repairs, `it took ${result.repairs} repairs instead of ${promised.repairs}`);
  const edits = editsOf(told.rounds).join(' ');
  expect(
    edits === promised.edits.join(' '),
    `its repairs were ${edits || 'none'} instead of ${promised.edits.join(' ') || 'none'}`,
  );
  return found;
}

/** Kinds of the edits that a task's rounds made, each once, in the order of their first use. */
export function editsOf(rounds: Played['told']['rounds']): string[] {
  return [...new Set(rounds.flatMap(({ attribution }) => attribution?.edits.map(({ edit }) => edit) ?? []))];
}
