import { EngraphError } from '../domain/failure.js';
import type { GraphNode } from '../domain/graph.js';
import { idOf } from '../domain/id.js';
import { checkUpdatable, isUpdated, type NodeUpdate } from '../domain/node-update.js';
import type { CallOptions, VectorStore } from '../ports/vector-store.js';
import type { NodeStore } from './nodes.js';
import { scanAll } from './scanning.js';

/** Times an update is tried again after somebody else's came between; more at once than this is no accident. */
const MOST_TRIES = 20;

/** A caller's update of one node. */
export interface Updating extends CallOptions {
  readonly nodeId: string;
  readonly update: NodeUpdate;
  /** Names the update: the same one again changes nothing, whatever came after it. */
  readonly key?: string | undefined;
  readonly now: () => Date;
}

/**
 * Writes the next version of a node: the same id, source and edges, embedded anew where its text changes, metadata merged key
 * by key. Of updates at once each is made on what the others left. An update that changes nothing makes no version. Fails with
 * `not_found`, `validation` for a node whose text is not the caller's, and `version_conflict` where others never stop.
 */
export async function updateNode(
  { store, nodes }: { readonly store: VectorStore; readonly nodes: NodeStore },
  space: string,
  { nodeId, update, key, now, ...options }: Updating,
): Promise<GraphNode> {
  for (let tries = 1; ; tries++) {
    const [node] = await nodes.read(space, [nodeId], options);
    if (node === undefined)
      throw new EngraphError('not_found', `there is no node ${nodeId} in this space`, { details: { nodeId } });
    checkUpdatable(node, update);
    const token =
      key === undefined
        ? idOf('update', nodeId, node.version, update.text ?? '', JSON.stringify(update.metadata ?? {}))
        : idOf('keyed update', nodeId, key);
    if (isUpdated(node, update) || (key !== undefined && (await isWritten(store, space, nodeId, token, options)))) return node;
    try {
      const write = { nodeId, version: node.version, change: update, recordedAt: now().toISOString(), token };
      return await nodes.revise(space, { ...write, ...options });
    } catch (error) {
      const passed = error instanceof EngraphError && error.kind === 'version_conflict' && tries < MOST_TRIES;
      if (!passed) throw error;
    }
  }
}

/** Whether any version of the node was written by this operation. */
async function isWritten(
  store: VectorStore,
  space: string,
  nodeId: string,
  token: string,
  options: CallOptions,
): Promise<boolean> {
  for await (const { payload } of scanAll(store, space, { filter: [{ field: 'nodeId', anyOf: [nodeId] }] }, options))
    if (payload['writtenBy'] === token) return true;
  return false;
}
