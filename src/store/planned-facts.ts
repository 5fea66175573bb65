import type { SemanticNode } from '../domain/graph.js';
import type { QueuedFact } from '../domain/update-queue.js';
import type { CallOptions, VectorStore } from '../ports/vector-store.js';
import { nodeOf, pointIdOf } from './points.js';

/** A fact in the version that it was planned with, whatever became of it since. */
export interface PlannedFact {
  readonly fact: SemanticNode;
  readonly vector: readonly number[];
}

/** The facts of a queue as they were planned, by node id; what was forgotten since is left out. */
export async function plannedFacts(
  store: VectorStore,
  space: string,
  facts: readonly QueuedFact[],
  options: CallOptions = {},
): Promise<Map<string, PlannedFact>> {
  const ids = facts.map(({ nodeId, version }) => pointIdOf(nodeId, version));
  const points = await store.fetch(space, ids, { vector: true }, options);
  const found = points.flatMap((point): [string, PlannedFact][] => {
    const node = nodeOf(point);
    if (node.kind !== 'semantic') return [];
    const { retiredAt: _ended, ...fact } = node;
    return [[fact.id, { fact, vector: point.vector ?? [] }]];
  });
  return new Map(found);
}
