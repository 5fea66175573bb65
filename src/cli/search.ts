import { Option } from 'commander';

import { NODE_KINDS, type NodeKind } from '../domain/graph.js';
import { checkSpace } from '../domain/space.js';
import { listOf, spaceOption, wholeNumber } from './arguments.js';
import { withMemory } from './memory.js';
import type { AddCommand } from './session.js';
import { nodeInBrief } from './telling-nodes.js';

interface SearchFlags {
  readonly space: string;
  readonly mode: 'fast' | 'hybrid';
  readonly limit: number;
  readonly asOf?: string;
  readonly trueAt?: string;
  readonly from?: string;
  readonly until?: string;
  readonly kinds?: NodeKind[];
}

/** `engraph search QUERY`: the best nodes for a query, with both scores. No model call; needs no server. */
export const addSearch: AddCommand = (program, act) => {
  program
    .command('search')
    .description('find nodes; no model call, needs no server')
    .argument('<query>')
    .addOption(spaceOption())
    .addOption(
      new Option('--mode <mode>', 'fast: by meaning only; hybrid: by words too').choices(['fast', 'hybrid']).default('hybrid'),
    )
    .addOption(new Option('--limit <n>', 'nodes at most').argParser(wholeNumber).default(10))
    .option('--as-of <time>', 'as it was at this time, ISO 8601')
    .option('--true-at <time>', 'what was true at this time, superseded since or not')
    .option('--from <time>', 'only what was said, or held, at this time or later')
    .option('--until <time>', 'only what was said, or held, before this time')
    .addOption(new Option('--kinds <kinds>', `some of ${NODE_KINDS.join(',')}`).argParser(listOf(NODE_KINDS)))
    .action(
      act<SearchFlags>(async (session, { space, mode, limit, asOf, trueAt, from, until, kinds }, query) => {
        checkSpace(space);
        const times = {
          ...(asOf !== undefined && { asOf }),
          ...(trueAt !== undefined && { trueAt }),
          ...(from !== undefined && { from }),
          ...(until !== undefined && { until }),
        };
        const options = { mode, limit, ...times, ...(kinds !== undefined && { kinds }) };
        const found = await withMemory(
          session,
          'search',
          async ({ recall }) => await recall.search(space, query as string, options),
        );
        session.output.result({ found }, () => (found.length === 0 ? 'nothing found' : found.map(nodeInBrief).join('\n\n')));
      }),
    );
};
