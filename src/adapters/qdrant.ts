import { EngraphError } from '../domain/failure.js';
import { checkSpace } from '../domain/space.js';
import { checkFilter, checkLimit, checkQuery, checkWrites } from '../ports/vector-store-checks.js';
import type {
  CallOptions,
  EmbeddingIdentity,
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
import { filterFor, type QdrantFilter } from './qdrant-filter.js';
import { fieldsFor, pointOf, qdrantIdOf, spaceHashOf, vectorsFor } from './qdrant-point.js';
import { QdrantRest, type QdrantServer } from './qdrant-rest.js';
import { collectionsOf, ensureCollection, readIdentity } from './qdrant-schema.js';
import { countPoints, facet, nominate, readStatistics } from './qdrant-search.js';
import { removePoints, removeWhere, writePoints, type Place } from './qdrant-write.js';

export interface QdrantOptions extends QdrantServer {
  /** The collection's name begins so, before two hyphens; `engraph` by default. One prefix serves one embedding model. */
  readonly prefix?: string;
}

/** Points that one request for ids brings at most. */
const FETCHED = 512;

/**
 * The port on a Qdrant server (1.17 or newer; 1.19 counts the rarity of words by space): one collection an embedding model,
 * every space in it as a tenant. A call returns when the server wrote to disk. A batch is refused whole where it is stale when
 * it comes; it is not one transaction, so a failure in its midst may leave its first points written, and the same batch again
 * completes it.
 */
export class QdrantVectorStore implements VectorStore {
  readonly #rest: QdrantRest;
  readonly #prefix: string;
  #made: { readonly collection: string; readonly dimension: number } | undefined;

  /** Asks nothing of the server yet. Fails with `config` for a URL that is none. */
  constructor({ prefix = 'engraph', ...server }: QdrantOptions) {
    this.#rest = new QdrantRest(server);
    this.#prefix = prefix;
  }

  async ensure(embedding: EmbeddingIdentity, { signal }: CallOptions = {}): Promise<void> {
    const collection = await ensureCollection(this.#rest, this.#prefix, embedding, signal);
    this.#made = { collection, dimension: embedding.dimension };
  }

  /**
   * Instead of `ensure`, where nothing is embedded: takes the collection that this prefix has and says what it was made with.
   * Fails with `not_found` where there is none, and `config` where there are several.
   */
  async attach({ signal }: CallOptions = {}): Promise<EmbeddingIdentity> {
    const [collection, ...others] = await collectionsOf(this.#rest, this.#prefix, signal);
    const at = `${this.#rest.address.shown} under the prefix ${this.#prefix}`;
    if (collection === undefined) throw new EngraphError('not_found', `there is no collection at ${at}: learn something first`);
    if (others.length > 0)
      throw new EngraphError('config', `there are several collections at ${at}: remove those that are not used`);
    const identity = await readIdentity(this.#rest, collection, signal);
    if (identity === undefined)
      throw new EngraphError('config', `the collection ${collection} does not say what it was made with`);
    this.#made = { collection, dimension: identity.dimension };
    return identity;
  }

  async upsert(space: string, writes: readonly Write[], options: CallOptions = {}): Promise<void> {
    options.signal?.throwIfAborted();
    checkWrites(space, writes, this.#made?.dimension);
    await writePoints(this.#place(space, options), writes);
  }

  async search(space: string, queries: readonly SearchQuery[], options: CallOptions = {}): Promise<Hit[][]> {
    options.signal?.throwIfAborted();
    for (const query of queries) checkQuery(query, this.#made?.dimension);
    const place = this.#place(space, options);
    const asked = [];
    for (const query of queries) asked.push({ query, filter: await this.#filter(place, query.filter) });
    return await nominate(place, asked);
  }

  async statistics(space: string, kind: string, words: readonly string[], options: CallOptions = {}): Promise<TermStatistics> {
    return await readStatistics(this.#place(space, options), kind, words);
  }

  async fetch(space: string, ids: readonly string[], what?: With, options: CallOptions = {}): Promise<StoredPoint[]> {
    const { rest, collection, signal } = this.#place(space, options);
    const spaceHash = spaceHashOf(space);
    const found = new Map<string, StoredPoint>();
    const all = [...new Set(ids)].map((id) => qdrantIdOf(spaceHash, id));
    for (let at = 0; at < all.length; at += FETCHED) {
      const asked = {
        collection_name: collection,
        ids: all.slice(at, at + FETCHED),
        with_payload: fieldsFor(what),
        with_vector: vectorsFor(what),
      };
      for (const record of await rest.ask((api, init) => api.getPoints(asked, init), signal)) {
        const point = pointOf(space, record, what);
        found.set(point.id, point);
      }
    }
    return ids.flatMap((id) => found.get(id) ?? []);
  }

  async scan(
    space: string,
    query: { filter?: Filter; after?: string; limit?: number; with?: With },
    options: CallOptions = {},
  ): Promise<Page> {
    const { after, limit = 256, with: what } = query;
    checkLimit(limit);
    const place = this.#place(space, options);
    const asked = {
      collection_name: place.collection,
      filter: await this.#filter(place, query.filter),
      limit: limit + 2, // the one before, and the one that says that there is a next page
      with_payload: fieldsFor(what),
      with_vector: vectorsFor(what),
      ...(after !== undefined && { offset: qdrantIdOf(spaceHashOf(space), after) }),
    };
    const { points: records } = await place.rest.ask((api, init) => api.scrollPoints(asked, init), place.signal);
    const rest = records.map((record) => pointOf(space, record, what)).filter(({ id }) => after === undefined || id > after);
    const points = rest.slice(0, limit);
    const last = points.at(-1);
    return last !== undefined && rest.length > limit ? { points, next: last.id } : { points };
  }

  async count(space: string, filter?: Filter, options: CallOptions = {}): Promise<number> {
    const place = this.#place(space, options);
    return await countPoints(place, await this.#filter(place, filter));
  }

  async remove(space: string, which: readonly string[] | { readonly where: Filter }, options: CallOptions = {}): Promise<number> {
    const place = this.#place(space, options);
    if (!('where' in which)) return await removePoints(place, which);
    const filter = await this.#filter(place, which.where);
    const there = await countPoints(place, filter);
    if (there > 0) await removeWhere(place, filter);
    return there;
  }

  async spaces({ signal }: CallOptions = {}): Promise<string[]> {
    const names = await facet({ rest: this.#rest, collection: this.#collection(), signal }, 'space');
    return names.flatMap(({ value, count }) => (count > 0 ? [String(value)] : [])).sort();
  }

  async close(): Promise<void> {
    await this.#rest.close();
  }

  async #filter(place: Place, filter: Filter = []): Promise<QdrantFilter> {
    checkFilter(filter);
    return await filterFor(place.space, filter, async (key, within) =>
      (await facet(place, key, within)).map(({ value }) => String(value)),
    );
  }

  #place(space: string, { signal }: CallOptions): Place {
    return { rest: this.#rest, collection: this.#collection(), space: checkSpace(space), signal };
  }

  #collection(): string {
    if (this.#made === undefined) {
      throw new EngraphError('validation', 'the store was asked before it was told its embedding; call ensure first');
    }
    return this.#made.collection;
  }
}
