import type { Command } from 'commander';

import type { Undone } from '../../activities/contract-sleep.js';
import { EngraphError } from '../domain/failure.js';
import { EXIT } from './exit-codes.js';
import { withClient } from './memory.js';
import type { Act } from './session.js';
import { sleepInWords } from './telling-sleep.js';

interface SpaceFlag {
  readonly space: string;
}

/** `engraph sleep list | show RUN | undo RUN`: past sleeps of a space. */
export function addSleepRuns(sleep: Command, act: Act): void {
  sleep
    .command('list')
    .description('past sleeps, the latest first')
    .action(
      act<SpaceFlag>(async ({ output, ...session }, { space }) => {
        const runs = await withClient({ output, ...session }, 'read', (client) => client.sleeping(space).runs());
        output.result({ space, runs }, () =>
          runs.length === 0 ? 'no sleep yet' : runs.map((run) => sleepInWords(run)).join('\n\n'),
        );
      }),
    );
  sleep
    .command('show')
    .description('what a sleep changed')
    .argument('<run>', 'the sleep’s id, as `engraph sleep list` names it')
    .action(
      act<SpaceFlag>(async ({ output, ...session }, { space }, runId) => {
        await withClient({ output, ...session }, 'read', async (client) => {
          const sleeping = client.sleeping(space);
          const run = await sleeping.run(runId ?? '');
          if (run === undefined) throw unknown(runId);
          const differences = await sleeping.differences(run.runId);
          output.result({ ...run, differences }, () => sleepInWords(run, differences));
        });
      }),
    );
  sleep
    .command('undo')
    .description('undo a sleep wholly; where something later depends on it, nothing is changed and that is listed (exit code 1)')
    .argument('<run>', 'the sleep’s id')
    .action(
      act<SpaceFlag>(async ({ output, ...session }, { space }, runId) => {
        const undone = await withClient({ output, ...session }, 'read', (client) => client.sleeping(space).undo(runId ?? ''));
        output.result({ space, runId: runId ?? '', ...undone }, () => undoneInWords(undone));
        return undone.inTheWay.length === 0 ? EXIT.ok : EXIT.failed;
      }),
    );
}

function undoneInWords({ restored, inTheWay }: Undone): string {
  if (inTheWay.length === 0) return `${restored} facts are again as they were before`;
  const ways = inTheWay.map(({ nodeId, why, by }) =>
    why === 'changed' ? `${nodeId} was changed since` : `${nodeId} is used${by === undefined ? '' : ` by ${by}`}`,
  );
  return ['nothing was changed: in the way are', ...ways].join('\n');
}

const unknown = (runId: string | undefined): EngraphError =>
  new EngraphError('not_found', `the space had no sleep ${JSON.stringify(runId ?? '')}; \`engraph sleep list\` names them`);
