import { Option } from 'commander';

import { EngraphError } from '../domain/failure.js';
import { spaceOption, wholeNumber } from './arguments.js';
import { withClient } from './memory.js';
import type { AddCommand } from './session.js';

interface JudgeFlags {
  readonly space: string;
  readonly success?: boolean;
  readonly failure?: boolean;
  readonly feedback?: string;
  readonly step?: number;
  readonly round?: number;
}

/** `engraph judge TASK`: a person's word on the round that waits for it. */
export const addJudge: AddCommand = (program, act) => {
  program
    .command('judge')
    .description('give your word on the round of a task that waits for it')
    .argument('<task>', 'its id')
    .addOption(spaceOption())
    .addOption(new Option('--success', 'it did what was asked').conflicts('failure'))
    .option('--failure', 'it did not')
    .option('--feedback <text>', 'what was wrong: the next round works from it')
    .addOption(new Option('--step <n>', 'only if this step waits').argParser(wholeNumber))
    .addOption(new Option('--round <n>', 'only if this round waits').argParser(wholeNumber))
    .action(
      act<JudgeFlags>(async (session, { space, success, failure, feedback, step, round }, taskId) => {
        if (success === undefined && failure === undefined) throw new EngraphError('validation', 'say --success or --failure');
        const judgement = {
          success: success === true,
          ...(feedback !== undefined && { feedback }),
          ...(step !== undefined && { step }),
          ...(round !== undefined && { round }),
        };
        const judged = await withClient(
          session,
          'read',
          async (client) => await client.task(space, taskId as string).judge(judgement),
        );
        session.output.result({ taskId, ...judged, success: judgement.success }, () => {
          return `step ${judged.step}, round ${judged.round} is judged a ${judgement.success ? 'success' : 'failure'}`;
        });
      }),
    );
};
