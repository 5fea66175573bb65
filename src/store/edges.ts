import type { EdgeField, GraphNode } from '../domain/graph.js';
import type { CallOptions, VectorStore } from '../ports/vector-store.js';
import { nodeOf } from './points.js';
import { scanAll } from './scanning.js';
import { aliveAt } from './validity.js';

/**
 * The way back along an edge: the current nodes whose edges of this type name one of these ids (design.md section 2), each
 * node once, in its newest version. Read page by page to the end.
 */
export async function nodesPointingTo(
  store: VectorStore,
  space: string,
  field: EdgeField,
  nodeIds: readonly string[],
  options: CallOptions = {},
): Promise<GraphNode[]> {
  if (nodeIds.length === 0) return [];
  const newest = new Map<string, GraphNode>();
  for await (const point of scanAll(store, space, { filter: [{ field, anyOf: nodeIds }, ...aliveAt()] }, options)) {
    const node = nodeOf(point);
    if (node.version > (newest.get(node.id)?.version ?? 0)) newest.set(node.id, node);
  }
  return [...newest.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}
