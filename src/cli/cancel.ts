import { spaceOption } from './arguments.js';
import { withClient } from './memory.js';
import type { AddCommand } from './session.js';

/** `engraph cancel TASK`: asks a task to stop. */
export const addCancel: AddCommand = (program, act) => {
  program
    .command('cancel')
    .description('ask a task to stop; what there is of it is recorded')
    .argument('<task>', 'its id')
    .addOption(spaceOption())
    .action(
      act<{ space: string }>(async (session, { space }, taskId) => {
        await withClient(session, 'read', async (client) => await client.task(space, taskId as string).cancel());
        session.output.result({ taskId, cancelling: true }, () => `task ${taskId} was asked to stop`);
      }),
    );
};
