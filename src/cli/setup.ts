import type { AddCommand } from './session.js';

/** `engraph setup`: registers what workers need on the server, once for each namespace. */
export const addSetup: AddCommand = (program, act) => {
  program
    .command('setup')
    .description('register the search attributes on the Temporal server; safe to run again')
    .action(
      act(async (session) => {
        const { register } = await import('./serving.js');
        const { namespace, registered } = await register(session);
        session.output.result({ namespace, registered }, () =>
          registered.length === 0
            ? `namespace ${namespace} has all search attributes already`
            : `registered in namespace ${namespace}: ${registered.join(', ')}`,
        );
      }),
    );
};
