import { Option } from 'commander';

import { EngraphError } from '../domain/failure.js';
import type { JsonObject } from '../domain/json.js';
import { checkUpdate, checkUpdateKey, type NodeUpdate } from '../domain/node-update.js';
import { checkSpace } from '../domain/space.js';
import { updateNode } from '../store/updating.js';
import { spaceOption } from './arguments.js';
import { withMemory } from './memory.js';
import type { AddCommand } from './session.js';
import { nodeInFull } from './telling-nodes.js';

interface UpdateFlags {
  readonly space: string;
  readonly text?: string;
  readonly metadata?: string;
  readonly key?: string;
}

/** `engraph update NODE`: another text or other metadata for a fact, under the same id. Needs no server. */
export const addUpdate: AddCommand = (program, act) => {
  program
    .command('update')
    .description('change the text or the metadata of a fact; its id, sources and history stay; needs no server')
    .argument('<node>', 'its id, as search and export tell it')
    .addOption(spaceOption())
    .option('--text <text>', 'what it says from now on')
    .option('--metadata <json>', 'a JSON object that is merged into its metadata key by key')
    .addOption(new Option('--key <key>', 'names the update: the same again changes nothing'))
    .action(
      act<UpdateFlags>(async (session, { space, key, ...flags }, nodeId) => {
        checkSpace(space);
        const update = checkUpdate(updateOf(flags));
        const named = checkUpdateKey(key);
        const node = await withMemory(
          session,
          'search',
          async (memory) =>
            await updateNode(memory, space, { nodeId: nodeId as string, update, key: named, now: () => new Date() }),
        );
        session.output.result(node, () => nodeInFull(node));
      }),
    );
};

function updateOf({ text, metadata }: Pick<UpdateFlags, 'text' | 'metadata'>): NodeUpdate {
  return { ...(text !== undefined && { text }), ...(metadata !== undefined && { metadata: parsed(metadata) }) };
}

function parsed(metadata: string): JsonObject {
  try {
    return JSON.parse(metadata) as JsonObject;
  } catch (error) {
    throw new EngraphError('validation', '--metadata is no JSON; write it as \'{"importance": 0.5}\'', { cause: error });
  }
}
