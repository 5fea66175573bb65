import { EXIT } from './exit-codes.js';
import { showProgress } from './progress.js';
import type { AddCommand } from './session.js';

/** `engraph setup`: registers what workers need on the server, once for each namespace; or fetches the embedding model, as an image does when it is built. */
export const addSetup: AddCommand = (program, act) => {
  program
    .command('setup')
    .description('register the search attributes on the Temporal server; safe to run again')
    .option('--models', 'only fetch the embedding model into the cache, and ask no server')
    .action(
      act<{ models?: boolean }>(async (session, { models = false }) => {
        const { config, output } = session;
        if (models) {
          const { ensureMiniLm } = await import('../setup/minilm.js');
          const folder = await ensureMiniLm(config, showProgress(output));
          output.result({ model: 'all-MiniLM-L6-v2', folder }, () => `all-MiniLM-L6-v2 is in ${folder}`);
          return EXIT.ok;
        }
        const { register } = await import('./serving.js');
        const { namespace, registered } = await register(session);
        output.result({ namespace, registered }, () =>
          registered.length === 0
            ? `namespace ${namespace} has all search attributes already`
            : `registered in namespace ${namespace}: ${registered.join(', ')}`,
        );
        return EXIT.ok;
      }),
    );
};
