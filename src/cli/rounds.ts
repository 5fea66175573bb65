import { spaceOption } from './arguments.js';
import { withClient } from './memory.js';
import type { AddCommand } from './session.js';
import { linkInWords, repairInWords, roundInWords } from './telling-rounds.js';

/** `engraph rounds TASK`: every round of a task so far, running or ended. */
export const addRounds: AddCommand = (program, act) => {
  program
    .command('rounds')
    .description('tell the rounds of a task: what was linked, what failed, what was edited, what it cost')
    .argument('<task>', 'its id')
    .addOption(spaceOption())
    .option('--links', 'list the links of each round too')
    .action(
      act<{ space: string; links?: boolean }>(async (session, { space, links }, taskId) => {
        const told = await withClient(session, 'read', async (client) => await client.task(space, taskId as string).rounds());
        session.output.result(told, () =>
          [
            `task ${taskId}: ${told.status.replaceAll('_', ' ')}${told.current ? ` in step ${told.current.step}, round ${told.current.round}` : ''}`,
            ...told.rounds.flatMap((round) => [
              roundInWords(round),
              ...(links === true ? round.links.map((link) => `    ${linkInWords(link)}`) : []),
              ...[repairInWords(round)].filter((line) => line !== undefined),
            ]),
            `model: ${told.models.join(', ') || 'none was asked yet'}`,
          ].join('\n'),
        );
      }),
    );
};
