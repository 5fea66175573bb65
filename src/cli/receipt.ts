import { spaceOption } from './arguments.js';
import { withClient } from './memory.js';
import type { AddCommand } from './session.js';
import { linkInWords } from './telling-rounds.js';

/** `engraph receipt TASK`: which node led to which step. */
export const addReceipt: AddCommand = (program, act) => {
  program
    .command('receipt')
    .description('tell which nodes led to which step of a task; * marks those the agent cited')
    .argument('<task>', 'its id')
    .addOption(spaceOption())
    .action(
      act<{ space: string }>(async (session, { space }, taskId) => {
        const steps = await withClient(session, 'read', async (client) => await client.task(space, taskId as string).receipt());
        session.output.result({ taskId, steps }, () =>
          steps.length === 0
            ? 'no step of this task went well, so nothing led to one'
            : steps
                .flatMap(({ step, round, nodes }) => [
                  `step ${step}, by round ${round}`,
                  ...nodes.map((link) => `${link.cited ? '*' : ' '} ${linkInWords(link)}`),
                ])
                .join('\n'),
        );
      }),
    );
};
