import { compareFacts, type PlacedFact } from '../domain/fact-order.js';
import type { SemanticNode } from '../domain/graph.js';
import type { CallOptions, Filter, StoredPoint, VectorStore } from '../ports/vector-store.js';
import { factIdOf, Facts, type BatchKey } from './facts.js';
import type { NodeStore } from './nodes.js';
import { nodeOf } from './points.js';
import { scanAll } from './scanning.js';
import { aliveAt } from './validity.js';
import { abortedBy, Versions } from './versions.js';

/** A fact that is current, where its vector points, and the names in it. */
export interface StoredFact {
  readonly fact: SemanticNode;
  readonly vector: readonly number[];
  readonly entities: readonly string[];
}

/** Which fresh facts: at most so many, the oldest first; after that place in time; of that batch alone. */
export interface FreshQuery extends CallOptions {
  readonly most: number;
  readonly after?: PlacedFact | undefined;
  readonly batch?: Omit<BatchKey, 'space'> | undefined;
}

/** What every current fact meets. */
export const CURRENT_FACTS: Filter = [{ field: 'kind', anyOf: ['semantic'] }, { field: 'form', anyOf: ['fact'] }, ...aliveAt()];

/** Facts that were not yet held against older ones. */
export class FreshFacts {
  readonly #store: VectorStore;
  readonly #versions: Versions;
  readonly #facts: Facts;

  constructor(store: VectorStore, nodes: NodeStore) {
    this.#store = store;
    this.#versions = new Versions(store);
    this.#facts = new Facts(store, nodes);
  }

  /**
   * In time order; what a current node supersedes is left out. `last` is the place in time up to which they were taken, where
   * there are more beyond it.
   */
  async read(space: string, { most, after, batch, signal }: FreshQuery): Promise<{ facts: StoredFact[]; last?: PlacedFact }> {
    const waiting = new Map<string, SemanticNode>();
    for await (const fact of this.#waiting(space, batch, signal)) {
      const isNext = after === undefined || compareFacts(fact, after) > 0;
      if (isNext && fact.version > (waiting.get(fact.id)?.version ?? 0)) waiting.set(fact.id, fact);
    }
    const ordered = [...waiting.values()].sort(compareFacts);
    const taken = ordered.slice(0, most).map(({ id }) => id);
    const points = await this.#versions.alive(space, taken, { signal, what: { vector: true } });
    const last = ordered.length > most ? ordered[most - 1] : undefined;
    return { facts: taken.flatMap((id) => factOf(points.get(id)) ?? []), ...(last !== undefined && { last: placeOf(last) }) };
  }

  async *#waiting(space: string, batch: FreshQuery['batch'], signal: AbortSignal | undefined): AsyncGenerator<SemanticNode> {
    const filter: Filter = [...CURRENT_FACTS, { field: 'status', anyOf: ['fresh'] }];
    if (batch === undefined) {
      for await (const point of scanAll(this.#store, space, { filter }, abortedBy(signal))) yield nodeOf(point) as SemanticNode;
      return;
    }
    const key = { space, ...batch };
    const extraction = await this.#facts.find(key, abortedBy(signal));
    const ids = extraction?.facts.map(({ text }) => factIdOf(key, text)) ?? [];
    for (const point of (await this.#versions.alive(space, ids, { signal })).values()) {
      const node = nodeOf(point);
      if (node.kind === 'semantic' && node.status === 'fresh') yield node;
    }
  }
}

const placeOf = ({ id, validFrom, source }: SemanticNode): PlacedFact => ({
  ...{ id, source },
  ...(validFrom !== undefined && { validFrom }),
});

/** The fact that a point holds; undefined for no point. Its vector must have been asked for. */
export function factOf(point: StoredPoint | undefined): StoredFact | undefined {
  if (point?.vector === undefined) return undefined;
  const { entities } = point.payload;
  return {
    fact: nodeOf(point) as SemanticNode,
    vector: point.vector,
    entities: Array.isArray(entities) ? entities.map(String) : [],
  };
}
