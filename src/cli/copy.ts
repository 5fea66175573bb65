import type { AddCommand } from './session.js';

/** `engraph copy`: spaces from one store to another, whole, resumable, verified. Needs no server. */
export const addCopy: AddCommand = (program, act) => {
  program
    .command('copy')
    .description(
      'copy spaces from one store to another and compare them; run again, it goes on where it was; stop the workers first',
    )
    .requiredOption('--from <store>', 'the source: sqlite:PATH or qdrant:URL')
    .requiredOption('--to <store>', 'the target, which is made where there is none')
    .option('-s, --space <name>', 'only this space (default: all that the source has)')
    .option('--prune', 'remove from the target what the source has not; without it such points are left, and told')
    .action(
      act<{ from: string; to: string; space?: string; prune?: boolean }>(async (session, options) => {
        const { copy } = await import('./copying.js');
        return await copy(session, options);
      }),
    );
};
