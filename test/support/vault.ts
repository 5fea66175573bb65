import type { ExecuteInput, ExecuteOutcome } from '../../src/domain/agent.js';
import { parseContext } from '../../src/domain/context.js';
import { parseProcedure, writeProcedure } from '../../src/domain/procedure.js';
import type { Stage } from './environment.js';

/** What opens a vault, in this order. */
export const OPENING = ['turn the dial', 'pull the lever', 'push the door'];

/**
 * An agent at the door of a vault. In a task whose id begins with `shown` somebody shows it how; in any other, and when a task is
 * done again, it does what a skill in its context says, and nothing where there is none. A wrong act ends the task.
 */
export function vaultAgent({
  opening = () => OPENING,
  stuck = () => false,
}: { opening?: () => readonly string[]; stuck?: (input: ExecuteInput) => boolean } = {}) {
  const seen: ExecuteInput[] = [];
  const execute = (input: ExecuteInput): ExecuteOutcome => {
    seen.push(input);
    const isShown = input.taskId.startsWith('shown') && input.replayOf === undefined;
    const { step } = input;
    const skill = parseContext(input.context).find(({ kind }) => kind === 'procedural');
    const action = isShown ? (opening()[step] ?? 'wait') : (parseProcedure(skill?.text ?? '').steps[step]?.action ?? 'wait');
    if (action !== opening()[step] || stuck(input)) return { action, status: 'failed', feedback: `nothing moves: ${action}` };
    const isLast = step === opening().length - 1;
    return isLast ? { action, status: 'succeeded' } : { action, status: 'continue', observation: `something clicks, ${step}` };
  };
  return { seen, execute };
}

/** The text of a skill for the vault. */
export const procedure = (actions: readonly string[]): string =>
  writeProcedure({ tasks: ['Open the vault of the bank'], steps: actions.map((action) => ({ action })), onTheWay: [] });

/** Runs a task at the vault, in the stage's own space: the server outlives a test, and with it the tasks of a space. */
export async function openVault(stage: Stage, taskId: string, instruction = 'Open the vault of the bank') {
  return await stage.client.runTask({
    ...{ space: stage.taskQueue, taskId, instruction, observation: 'a heavy door' },
    agent: { ...stage.agent, replayable: true },
    limits: { maxRefinementRounds: 1 },
  });
}
