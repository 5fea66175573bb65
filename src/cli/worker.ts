import { Option } from 'commander';

import { WORKER_KINDS, type WorkerKind } from '../worker-kinds.js';
import { listOf } from './arguments.js';
import type { AddCommand } from './session.js';

/** `engraph worker`: serves the task queues until it is asked to stop. */
export const addWorker: AddCommand = (program, act) => {
  program
    .command('worker')
    .description('serve the task queues of the running server; SIGTERM or Ctrl-C stops it in order, twice at once')
    .addOption(new Option('--queues <kinds>', `some of ${WORKER_KINDS.join(',')} (default: all)`).argParser(listOf(WORKER_KINDS)))
    .action(
      act<{ queues?: WorkerKind[] }>(
        async (session, { queues = [...WORKER_KINDS] }) => {
          const { serve } = await import('./serving.js');
          return await serve(session, queues);
        },
        { ownSignals: true },
      ),
    );
};
