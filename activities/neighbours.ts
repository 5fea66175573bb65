import type { GraphNode } from '../src/domain/graph.js';
import type { CallOptions, VectorStore } from '../src/ports/vector-store.js';
import { nodeOf } from '../src/store/points.js';
import { scanAll } from '../src/store/scanning.js';
import { aliveAt } from '../src/store/validity.js';

/**
 * What stands before and after a chunk in its document, `span` current chunks on either side in the document's order; empty
 * for a node that is no chunk of a document and at a document's ends.
 */
export async function neighboursOf(
  store: VectorStore,
  node: GraphNode,
  span: number,
  options: CallOptions = {},
): Promise<{ before: string; after: string }> {
  if (node.kind !== 'semantic' || node.source.document === undefined) return { before: '', after: '' };
  const filter = [
    { field: 'document' as const, anyOf: [node.source.document] },
    { field: 'kind' as const, anyOf: ['semantic'] },
    ...aliveAt(),
  ];
  const chunks: GraphNode[] = [];
  for await (const point of scanAll(store, node.space, { filter }, options)) chunks.push(nodeOf(point));
  const ordered = chunks.sort((a, b) => placeOf(a) - placeOf(b) || (a.id < b.id ? -1 : 1));
  const at = ordered.findIndex(({ id }) => id === node.id);
  if (at === -1) return { before: '', after: '' };
  const text = (nodes: readonly GraphNode[]): string => nodes.map((one) => one.text).join('\n');
  return { before: text(ordered.slice(Math.max(0, at - span), at)), after: text(ordered.slice(at + 1, at + 1 + span)) };
}

const placeOf = (node: GraphNode): number => (node.kind === 'semantic' ? (node.source.position ?? node.source.start ?? 0) : 0);
