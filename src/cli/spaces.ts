import { withMemory } from './memory.js';
import type { AddCommand } from './session.js';

/** `engraph spaces`: the spaces of the store that hold anything. Needs no server. */
export const addSpaces: AddCommand = (program, act) => {
  program
    .command('spaces')
    .description('list the spaces that hold anything; needs no server')
    .action(
      act(async (session) => {
        const spaces = await withMemory(session, 'read', async ({ store }) => await store.spaces());
        session.output.result({ spaces }, () => (spaces.length === 0 ? 'nothing is remembered yet' : spaces.join('\n')));
      }),
    );
};
