import type { Json, JsonObject } from '../domain/json.js';
import { checkSpace } from '../domain/space.js';
import {
  checkFilter,
  checkLimit,
  checkQuery,
  checkWrites,
  conflict,
  fieldValues,
  type FieldValue,
} from '../ports/vector-store-checks.js';
import { checkIdentity } from '../ports/vector-store-identity.js';
import type {
  CallOptions,
  EmbeddingIdentity,
  FieldCondition,
  Filter,
  Hit,
  Page,
  SearchQuery,
  StoredPoint,
  TermStatistics,
  VectorStore,
  With,
  Write,
} from '../ports/vector-store.js';

/** Okapi's usual saturation and length normalisation, as SQLite's FTS5 has them. */
const K1 = 1.2;
const B = 0.75;

interface Stored {
  readonly id: string;
  readonly revision: number;
  readonly token: string | undefined;
  /** Frozen like vector and terms, so that every reader may have it. */
  readonly payload: JsonObject;
  readonly vector: readonly number[] | undefined;
  /** The same numbers, packed for comparing. */
  readonly packed: Float32Array | undefined;
  readonly terms: Readonly<Record<string, number>> | undefined;
  /** Words of the point, repeats counted. */
  readonly length: number;
}

/** The port in plain maps, gone with the process: for tests, and for seeing what a store must do. */
export class InMemoryVectorStore implements VectorStore {
  readonly #spaces = new Map<string, Map<string, Stored>>();
  #embedding: EmbeddingIdentity | undefined;

  async ensure(embedding: EmbeddingIdentity, options?: CallOptions): Promise<void> {
    options?.signal?.throwIfAborted();
    if (this.#embedding !== undefined) checkIdentity('the in-memory store', this.#embedding, embedding, 'make a new one');
    this.#embedding = { ...embedding };
  }

  async upsert(space: string, writes: readonly Write[], options?: CallOptions): Promise<void> {
    options?.signal?.throwIfAborted();
    checkWrites(space, writes, this.#embedding?.dimension);
    const points = new Map(this.#spaces.get(space));
    for (const { point, expect, token } of writes) {
      const old = points.get(point.id);
      if (expect !== undefined) {
        if (old?.token === token && old !== undefined) continue;
        if ((old?.revision ?? 0) !== expect) throw conflict(point.id, expect, old?.revision ?? 0);
      }
      points.set(point.id, {
        id: point.id,
        revision: (old?.revision ?? 0) + 1,
        token,
        payload: JSON.parse(JSON.stringify(point.payload), (_, value: Json) => Object.freeze(value)) as JsonObject,
        vector: point.vector && Object.freeze(Array.from(Float32Array.from(point.vector))),
        packed: point.vector && Float32Array.from(point.vector),
        terms: point.terms && Object.freeze(Object.assign(Object.create(null) as Record<string, number>, point.terms)),
        length: Object.values(point.terms ?? {}).reduce((sum, count) => sum + count, 0),
      });
    }
    this.#spaces.set(space, points);
  }

  async search(space: string, queries: readonly SearchQuery[], options?: CallOptions): Promise<Hit[][]> {
    options?.signal?.throwIfAborted();
    for (const query of queries) checkQuery(query, this.#embedding?.dimension);
    return queries.map((query) => {
      const score = query.dense ? nearness(query.dense) : this.#bm25(space, new Set(query.sparse));
      return best(this.#matching(space, query.filter), score, query.limit).map(({ stored, score }) => ({
        point: toPoint(space, stored, query.with),
        score,
      }));
    });
  }

  async statistics(space: string, kind: string, words: readonly string[], options?: CallOptions): Promise<TermStatistics> {
    options?.signal?.throwIfAborted();
    const counted = this.#matching(space, [
      { field: 'kind', anyOf: [kind] },
      { field: 'retiredAt', absent: true },
    ]).filter(({ terms, length }) => terms !== undefined && length > 0);
    const total = counted.reduce((sum, { length }) => sum + length, 0);
    return {
      documents: counted.length,
      averageLength: counted.length === 0 ? 0 : total / counted.length,
      frequency: Object.fromEntries(
        words.map((word) => [word, counted.filter(({ terms }) => terms !== undefined && word in terms).length]),
      ),
    };
  }

  async fetch(space: string, ids: readonly string[], what?: With, options?: CallOptions): Promise<StoredPoint[]> {
    options?.signal?.throwIfAborted();
    const points = this.#points(space);
    return ids.flatMap((id) => {
      const stored = points.get(id);
      return stored === undefined ? [] : [toPoint(space, stored, what)];
    });
  }

  async scan(
    space: string,
    query: { filter?: Filter; after?: string; limit?: number; with?: With },
    options?: CallOptions,
  ): Promise<Page> {
    options?.signal?.throwIfAborted();
    const { after = '', limit = 256 } = query;
    checkLimit(limit);
    const rest = this.#matching(space, query.filter)
      .filter(({ id }) => id > after)
      .sort(byId);
    const points = rest.slice(0, limit).map((stored) => toPoint(space, stored, query.with));
    const last = points.at(-1);
    return last !== undefined && rest.length > limit ? { points, next: last.id } : { points };
  }

  async count(space: string, filter?: Filter, options?: CallOptions): Promise<number> {
    options?.signal?.throwIfAborted();
    return this.#matching(space, filter).length;
  }

  async remove(space: string, which: readonly string[] | { readonly where: Filter }, options?: CallOptions): Promise<number> {
    options?.signal?.throwIfAborted();
    const points = this.#points(space);
    const ids = 'where' in which ? this.#matching(space, which.where).map(({ id }) => id) : which;
    return ids.filter((id) => points.delete(id)).length;
  }

  async spaces(options?: CallOptions): Promise<string[]> {
    options?.signal?.throwIfAborted();
    return [...this.#spaces].flatMap(([space, points]) => (points.size > 0 ? [space] : [])).sort();
  }

  async close(): Promise<void> {
    this.#spaces.clear();
  }

  #points(space: string): Map<string, Stored> {
    return this.#spaces.get(checkSpace(space)) ?? new Map<string, Stored>();
  }

  #matching(space: string, filter: Filter = []): Stored[] {
    checkFilter(filter);
    if (filter.length === 0) return [...this.#points(space).values()];
    const meets = ({ payload }: Stored) =>
      filter.every((condition) =>
        'any' in condition ? condition.any.some((one) => holds(payload, one)) : holds(payload, condition),
      );
    return [...this.#points(space).values()].filter(meets);
  }

  #bm25(space: string, words: ReadonlySet<string>): (stored: Stored) => number | undefined {
    const all = [...this.#points(space).values()].filter(({ terms, length }) => terms !== undefined && length > 0);
    const average = all.reduce((sum, { length }) => sum + length, 0) / all.length;
    const idf = new Map(
      [...words].map((word) => {
        const having = all.filter(({ terms }) => terms !== undefined && word in terms).length;
        return [word, Math.log(1 + (all.length - having + 0.5) / (having + 0.5))];
      }),
    );
    return ({ terms, length }) => {
      const present = [...words].filter((word) => terms !== undefined && word in terms);
      if (present.length === 0) return undefined;
      const norm = K1 * (1 - B + (B * length) / average);
      return present.reduce(
        (sum, word) => sum + ((idf.get(word) ?? 0) * (terms?.[word] ?? 0) * (K1 + 1)) / ((terms?.[word] ?? 0) + norm),
        0,
      );
    };
  }
}

interface Scored {
  readonly stored: Stored;
  readonly score: number;
}

/** The points that score best, best first, ties by id; those without a score are left out. */
function best(points: readonly Stored[], scoreOf: (stored: Stored) => number | undefined, limit: number): Scored[] {
  const top: Scored[] = [];
  for (const stored of points) {
    const score = scoreOf(stored);
    const last = top[limit - 1];
    if (
      score === undefined ||
      (last !== undefined && (score < last.score || (score === last.score && byId(stored, last.stored) > 0)))
    )
      continue;
    let [low, high] = [0, top.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = top[middle] as Scored;
      if (other.score > score || (other.score === score && byId(other.stored, stored) < 0)) low = middle + 1;
      else high = middle;
    }
    top.splice(low, 0, { stored, score });
    if (top.length > limit) top.pop();
  }
  return top;
}

const byId = (a: Stored, b: Stored): number => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

/** `dot` for packed vectors alone, which a compiler makes twice as fast as for any. Lengths were checked when they came in. */
function product(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] as number) * (b[i] as number);
  return sum;
}

function nearness(query: readonly number[]): (stored: Stored) => number | undefined {
  const asked = Float32Array.from(query);
  return ({ packed }) => packed && product(asked, packed);
}

function holds(payload: JsonObject, { field, anyOf, noneOf, from, below, absent }: FieldCondition): boolean {
  const values = fieldValues(payload, field);
  const inRange = (value: FieldValue) =>
    (from === undefined || (typeof value === typeof from && value >= from)) &&
    (below === undefined || (typeof value === typeof below && value < below));
  return (
    (anyOf === undefined || values.some((value) => anyOf.includes(value))) &&
    (noneOf === undefined || !values.some((value) => noneOf.includes(value))) &&
    ((from === undefined && below === undefined) || values.some(inRange)) &&
    (absent === undefined || absent === (values.length === 0))
  );
}

function toPoint(space: string, { id, revision, payload, vector, terms }: Stored, what: With = {}): StoredPoint {
  return {
    id,
    space,
    revision,
    payload,
    ...(what.vector && vector && { vector }),
    ...(what.terms && terms && { terms }),
  };
}
