import type { JsonObject } from '../domain/json.js';

/** What a call may be given besides its subject. */
export interface CallOptions {
  /** Aborts the call; the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** The top-level payload fields that a filter may name; each is indexed in every store, and no other field can be filtered. */
export const INDEXED_FIELDS = [
  'kind',
  'form',
  'nodeId',
  'version',
  'status',
  'recordedAt',
  'retiredAt',
  'validFrom',
  'validTo',
  'document',
  'conversation',
  'taskId',
  'key',
  'entities',
  'groundedIn',
  'cited',
  'inherited',
  'distilledFrom',
  'counterExamples',
  'derivedFrom',
  'supersedes',
  'relatesTo',
] as const;
export type IndexedField = (typeof INDEXED_FIELDS)[number];

/**
 * One condition on one field. A field that holds a list meets `anyOf` when one of its elements does, and `noneOf` when none
 * does. `from` and `below` compare strings by code unit (ISO times in UTC sort so) and numbers by size.
 */
export interface FieldCondition {
  readonly field: IndexedField;
  readonly anyOf?: readonly (string | number)[];
  readonly noneOf?: readonly (string | number)[];
  /** At least this. */
  readonly from?: string | number;
  /** Less than this. */
  readonly below?: string | number;
  /** True: the field is missing or null or []. False: it is there. */
  readonly absent?: boolean;
}

/** All of the list hold; `any` holds when one of its conditions does. */
export type Condition = FieldCondition | { readonly any: readonly FieldCondition[] };
export type Filter = readonly Condition[];

/**
 * One record of the store. `id` is a UUID in lower case. `vector`, where there is one, is a unit vector of the store's
 * dimension; a point without vector and terms is a plain record that no search nominates. `terms` are word counts of the
 * point's text (tokenised by `src/domain/words.ts`), the sparse vector of BM25.
 */
export interface Point {
  readonly id: string;
  readonly space: string;
  readonly vector?: readonly number[];
  readonly terms?: Readonly<Record<string, number>>;
  readonly payload: JsonObject;
}

/** A point as read: `revision` counts its writes, from 1. `vector` and `terms` are there only when asked for. */
export interface StoredPoint extends Point {
  readonly revision: number;
}

/**
 * A point to write. Without `expect` the write replaces what is there. With it the write is refused with `version_conflict`
 * unless the stored revision is exactly `expect` (0: not there yet) or the stored point was last written under the same
 * `token`, in which case it is an attempt repeated: nothing is written and the call succeeds.
 */
export interface Write {
  readonly point: Point;
  readonly expect?: number;
  /** Names the operation, the same in each of its attempts; required with `expect`. */
  readonly token?: string;
}

/** What a read brings along besides id, space, payload and revision. */
export interface With {
  readonly vector?: boolean;
  readonly terms?: boolean;
}

/** A nomination by one signal: nearest to `dense`, or by the store's own BM25 for `sparse` (any of the words). Exactly one of the two. */
export interface SearchQuery {
  readonly dense?: readonly number[];
  readonly sparse?: readonly string[];
  readonly filter?: Filter;
  /** 1 to 4,096. */
  readonly limit: number;
  readonly with?: With;
}

/** `score` is the cosine for dense and the store's own BM25 for sparse: good for the order in this list, for nothing else. */
export interface Hit {
  readonly point: StoredPoint;
  readonly score: number;
}

/** Counts over the current points (no `retiredAt`) of one space and one payload `kind` that have terms: what BM25 needs. */
export interface TermStatistics {
  readonly documents: number;
  /** Mean number of words of those points; 0 where there are none. */
  readonly averageLength: number;
  /** For each word asked, how many of those points have it. */
  readonly frequency: Readonly<Record<string, number>>;
}

export interface Page {
  readonly points: readonly StoredPoint[];
  /** Where the next page starts; absent on the last. */
  readonly next?: string;
}

/** What the vectors of a store were made with. A store made for one refuses another. */
export interface EmbeddingIdentity {
  readonly model: string;
  readonly dimension: number;
  /** SHA-256 of the weights, or the vendor's name and version where there are no weights to hash. */
  readonly hash: string;
}

/**
 * Where vectors, words and payloads live: tiny, batch first. Every method but `ensure`, `spaces` and `close` works inside
 * exactly one space, filtered by the store itself. Safe for several processes at once. Failures: `store_unavailable`
 * (retryable), `version_conflict`, `embedding_dimension`, `embedding_model`, `validation` for a query no store can answer.
 */
export interface VectorStore {
  /** Creates what is missing, safe when several processes do so at once; refuses a store made for another embedding and leaves it as it was. */
  ensure(embedding: EmbeddingIdentity, options?: CallOptions): Promise<void>;
  /** Writes points; when it returns they are durable and visible to every process. A store that can, writes all or none. */
  upsert(space: string, writes: readonly Write[], options?: CallOptions): Promise<void>;
  /** One list of hits a query, best first, ties by id. */
  search(space: string, queries: readonly SearchQuery[], options?: CallOptions): Promise<Hit[][]>;
  statistics(space: string, kind: string, words: readonly string[], options?: CallOptions): Promise<TermStatistics>;
  /** The points of these ids that exist, in the order asked. */
  fetch(space: string, ids: readonly string[], what?: With, options?: CallOptions): Promise<StoredPoint[]>;
  /** A page in the order of ids; every point that exists throughout the paging is seen exactly once. `limit` defaults to 256. */
  scan(
    space: string,
    query: { filter?: Filter; after?: string; limit?: number; with?: With },
    options?: CallOptions,
  ): Promise<Page>;
  count(space: string, filter?: Filter, options?: CallOptions): Promise<number>;
  /** Removes these points for good, by their ids or all that meet a filter ([]: the whole space), and says how many there were. */
  remove(space: string, which: readonly string[] | { readonly where: Filter }, options?: CallOptions): Promise<number>;
  /** The names of the spaces that hold any point, sorted. */
  spaces(options?: CallOptions): Promise<string[]>;
  close(): Promise<void>;
}
