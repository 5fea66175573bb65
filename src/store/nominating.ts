import { CANDIDATES, type Nomination } from '../domain/candidates.js';
import type { SemanticNode } from '../domain/graph.js';
import { dot } from '../domain/vector.js';
import type { CallOptions, Filter, Hit, VectorStore } from '../ports/vector-store.js';
import { CURRENT_FACTS, factOf, type StoredFact } from './fresh-facts.js';
import { nodeOf } from './points.js';
import { Speakers } from './speakers.js';
import { aliveAt } from './validity.js';
import { abortedBy, Versions } from './versions.js';

/** Searches that one call of the store is given: few enough that a cancelled plan ends soon. */
const SEARCHES = 32;

/** How many times the facts wanted a search among everything semantic asks for. */
const WIDE = 3;

const CURRENT_SEMANTIC: Filter = [{ field: 'kind', anyOf: ['semantic'] }, ...aliveAt()];

/** Facts that may have to do with fresh ones, and which with which. */
export interface Nominated {
  readonly facts: ReadonlyMap<string, SemanticNode>;
  readonly nominations: readonly Nomination[];
}

/**
 * Nominates candidates (design.md 3.3): for each fresh fact those nearest by vector, and those that name a rare entity that it
 * names. What is read grows with the fresh facts; only the search itself with what is stored.
 */
export class Nominating {
  readonly #store: VectorStore;
  readonly #versions: Versions;
  readonly #speakers: Speakers;

  constructor(store: VectorStore) {
    this.#store = store;
    this.#versions = new Versions(store);
    this.#speakers = new Speakers(store);
  }

  /** All facts current; one that a current node supersedes is in no nomination. */
  async nominate(space: string, fresh: readonly StoredFact[], { signal }: CallOptions = {}): Promise<Nominated> {
    const facts = new Map(fresh.map(({ fact }) => [fact.id, fact]));
    const nominations = [
      ...(await this.#nearest(space, fresh, facts, signal)),
      ...(await this.#sharingNames(space, fresh, facts, signal)),
    ];
    const superseded = await this.#versions.heirs(space, [...facts.keys()], signal);
    for (const id of superseded.keys()) facts.delete(id);
    return { facts, nominations: nominations.filter(({ one, other }) => facts.has(one) && facts.has(other)) };
  }

  async #nearest(space: string, fresh: readonly StoredFact[], facts: Map<string, SemanticNode>, signal: AbortSignal | undefined) {
    const nominations: Nomination[] = [];
    for (let at = 0; at < fresh.length; at += SEARCHES) {
      const some = fresh.slice(at, at + SEARCHES);
      const lists = await this.#nearestFacts(space, some, signal);
      for (const [index, hits] of lists.entries()) {
        const one = some[index]?.fact.id ?? '';
        for (const { point, score } of hits) {
          const fact = nodeOf(point) as SemanticNode;
          if (fact.id === one) continue;
          add(facts, fact);
          nominations.push({ one, other: fact.id, cosine: score, rare: false });
        }
      }
    }
    return nominations;
  }

  /**
   * The nearest facts of each, itself among them. A search among whatever is semantic costs a third of one among facts alone
   * (SQLite, 5,500 facts), and brings as many facts as are wanted unless turns crowd them out: then facts alone are searched.
   */
  async #nearestFacts(space: string, some: readonly StoredFact[], signal: AbortSignal | undefined): Promise<Hit[][]> {
    const limit = CANDIDATES.nominated + 1;
    const wide = some.map(({ vector }) => ({ dense: vector, filter: CURRENT_SEMANTIC, limit: WIDE * limit }));
    const lists = await this.#store.search(space, wide, abortedBy(signal));
    const found = lists.map((hits) => hits.filter(({ point }) => point.payload['form'] === 'fact').slice(0, limit));
    const crowded = some.filter((_, at) => (found[at]?.length ?? 0) < limit && (lists[at]?.length ?? 0) >= WIDE * limit);
    const narrow = crowded.map(({ vector }) => ({ dense: vector, filter: CURRENT_FACTS, limit }));
    const again = narrow.length === 0 ? [] : await this.#store.search(space, narrow, abortedBy(signal));
    return some.map((stored, at) => again[crowded.indexOf(stored)] ?? found[at] ?? []);
  }

  async #sharingNames(
    space: string,
    fresh: readonly StoredFact[],
    facts: Map<string, SemanticNode>,
    signal: AbortSignal | undefined,
  ) {
    const speakers = new Set((await this.#speakers.list(space, abortedBy(signal))).flatMap(partsOf));
    const naming = new Map<string, StoredFact[]>();
    for (const stored of fresh) {
      const own = new Set(partsOf(stored.fact.speaker ?? ''));
      for (const name of stored.entities) {
        if (!speakers.has(name) && !own.has(name)) naming.set(name, [...(naming.get(name) ?? []), stored]);
      }
    }
    const nominations: Nomination[] = [];
    const limit = CANDIDATES.rareFacts + 1;
    for (const [name, some] of naming) {
      const filter = [{ field: 'entities' as const, anyOf: [name] }, ...CURRENT_FACTS];
      const { points } = await this.#store.scan(space, { filter, limit, with: { vector: true } }, abortedBy(signal));
      if (points.length >= limit) continue;
      for (const other of points.flatMap((point) => factOf(point) ?? [])) {
        add(facts, other.fact);
        for (const { fact, vector } of some) {
          if (fact.id === other.fact.id) continue;
          nominations.push({ one: fact.id, other: other.fact.id, cosine: dot(vector, other.vector), rare: true });
        }
      }
    }
    return nominations;
  }
}

/** Of two versions that a crash left current the newer one counts. */
function add(facts: Map<string, SemanticNode>, fact: SemanticNode): void {
  if (fact.version > (facts.get(fact.id)?.version ?? 0)) facts.set(fact.id, fact);
}

/** A name as entities are written, whole and in its parts. */
const partsOf = (name: string): string[] =>
  [name.toLowerCase(), ...name.toLowerCase().split(/\s+/u)].filter((part) => part !== '');
