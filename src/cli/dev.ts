import type { AddCommand } from './session.js';

/** `engraph dev`: a server and a worker in one process, in the foreground. */
export const addDev: AddCommand = (program, act) => {
  program
    .command('dev')
    .description('start a Temporal dev server (or use the one that runs or is configured) and a worker; Ctrl-C ends both')
    .action(
      act(
        async (session) => {
          const { develop } = await import('./serving.js');
          return await develop(session);
        },
        { ownSignals: true },
      ),
    );
};
