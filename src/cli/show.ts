import { EngraphError } from '../domain/failure.js';
import { checkSpace } from '../domain/space.js';
import { spaceOption } from './arguments.js';
import { withMemory } from './memory.js';
import type { AddCommand } from './session.js';
import { nodeInFull } from './telling-nodes.js';

/** `engraph show NODE`: one node whole, now or as it was. Needs no server. */
export const addShow: AddCommand = (program, act) => {
  program
    .command('show')
    .description('show a node whole; needs no server')
    .argument('<node>', 'its id, as search, receipt and export tell it')
    .addOption(spaceOption())
    .option('--as-of <time>', 'as it was at this time, ISO 8601')
    .action(
      act<{ space: string; asOf?: string }>(async (session, { space, asOf }, nodeId) => {
        checkSpace(space);
        const [node] = await withMemory(
          session,
          'read',
          async ({ nodes }) => await nodes.read(space, [nodeId as string], { asOf }),
        );
        if (!node) {
          const when = asOf === undefined ? '' : ` as of ${asOf}`;
          throw new EngraphError(
            'not_found',
            `there is no node ${nodeId} in the space ${space}${when}: \`engraph search\` tells the ids of what there is`,
          );
        }
        session.output.result(node, () => nodeInFull(node));
      }),
    );
};
