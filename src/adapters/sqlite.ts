import { setTimeout as wait } from 'node:timers/promises';

import type { DatabaseSyncInstance } from '@photostructure/sqlite';

import type { JsonObject } from '../domain/json.js';
import { checkSpace } from '../domain/space.js';
import { checkFilter, checkLimit, checkQuery, checkWrites } from '../ports/vector-store-checks.js';
import { checkIdentity } from '../ports/vector-store-identity.js';
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
import { asFailure, isBusy } from './sqlite-failure.js';
import { filterSql } from './sqlite-filter.js';
import { createVectors, inTransaction, openDatabase, readEmbedding } from './sqlite-schema.js';
import { nominate } from './sqlite-search.js';
import { Statements } from './sqlite-statements.js';
import { readStatistics } from './sqlite-words.js';
import { readVector, removePoints, spaceOf, writePoints } from './sqlite-write.js';

export interface SqliteOptions {
  /** How long a call waits for other processes' writes before it fails with `store_unavailable`, in milliseconds; 10,000 by default. */
  readonly busyWaitMs?: number;
}

/** Between two tries of a transaction that another process stood in the way of, in milliseconds. */
const RETRY_EVERY_MS = 15;

interface PointRow {
  readonly row: number;
  readonly id: string;
  readonly revision: number;
  readonly payload: string;
  readonly terms: string | null;
}
const POINT_COLUMNS = 'row, id, revision, payload, terms';

/**
 * The port on one SQLite file (WAL): exact vector search by sqlite-vec, words by FTS5, every call one transaction, committed to
 * disk when it returns, and seen by every process that has the file open. Ties of more than 4,096 equal vectors at the limit
 * of a search are the one thing that is not put in the order of ids. Facts: sqlite-vec 0.1.9 is exact only, which is what a
 * space of up to about 100,000 points needs.
 */
export class SqliteVectorStore implements VectorStore {
  readonly #path: string;
  readonly #database: DatabaseSyncInstance;
  readonly #sql: Statements;
  readonly #busyWaitMs: number;

  private constructor(path: string, database: DatabaseSyncInstance, busyWaitMs: number) {
    this.#path = path;
    this.#database = database;
    this.#sql = new Statements(database);
    this.#busyWaitMs = busyWaitMs;
  }

  /** Opens the store, and creates the file and its folder where they are missing. Fails with `config` for a file that is no store. */
  static async open(path: string, { busyWaitMs = 10_000 }: SqliteOptions = {}): Promise<SqliteVectorStore> {
    const database = await whenFree(path, busyWaitMs, undefined, () => openDatabase(path));
    return new SqliteVectorStore(path, database, busyWaitMs);
  }

  async ensure(embedding: EmbeddingIdentity, options?: CallOptions): Promise<void> {
    await this.#write(options, () => {
      const stored = readEmbedding(this.#database);
      if (stored === undefined) createVectors(this.#database, embedding);
      else
        checkIdentity(`the store ${this.#path}`, stored, embedding, 'set ENGRAPH_STORE to a new file, or embed the store anew');
    });
  }

  async upsert(space: string, writes: readonly Write[], options?: CallOptions): Promise<void> {
    await this.#write(options, () => {
      checkWrites(space, writes, this.#dimension());
      writePoints(this.#sql, space, writes);
    });
  }

  async search(space: string, queries: readonly SearchQuery[], options?: CallOptions): Promise<Hit[][]> {
    return this.#read(options, () => {
      const dimension = this.#dimension();
      for (const query of queries) checkQuery(query, dimension);
      const spaceRow = this.#space(space);
      return queries.map((query) => (spaceRow === undefined ? [] : this.#hits(space, spaceRow, query)));
    });
  }

  async statistics(space: string, kind: string, words: readonly string[], options?: CallOptions): Promise<TermStatistics> {
    return this.#read(options, () => readStatistics(this.#sql, this.#space(space) ?? -1, kind, words));
  }

  async fetch(space: string, ids: readonly string[], what?: With, options?: CallOptions): Promise<StoredPoint[]> {
    return this.#read(options, () => {
      const spaceRow = this.#space(space) ?? -1;
      return ids.flatMap((id) => {
        const row = this.#sql.get<PointRow>(`select ${POINT_COLUMNS} from points where space = ? and id = ?`, spaceRow, id);
        return row === undefined ? [] : [this.#point(space, row, what)];
      });
    });
  }

  async scan(
    space: string,
    query: { filter?: Filter; after?: string; limit?: number; with?: With },
    options?: CallOptions,
  ): Promise<Page> {
    const { filter = [], after = '', limit = 256 } = query;
    return this.#read(options, () => {
      checkLimit(limit);
      checkFilter(filter);
      const spaceRow = this.#space(space) ?? -1;
      const { text, values } = filterSql('row', spaceRow, filter);
      const rows = this.#sql.all<PointRow>(
        `select ${POINT_COLUMNS} from points where space = ? and id > ? and ${text} order by id limit ?`,
        ...[spaceRow, after, ...values, limit + 1],
      );
      const points = rows.slice(0, limit).map((row) => this.#point(space, row, query.with));
      const last = points.at(-1);
      return last !== undefined && rows.length > limit ? { points, next: last.id } : { points };
    });
  }

  async count(space: string, filter: Filter = [], options?: CallOptions): Promise<number> {
    return this.#read(options, () => {
      checkFilter(filter);
      const spaceRow = this.#space(space) ?? -1;
      const { text, values } = filterSql('row', spaceRow, filter);
      return (
        this.#sql.get<{ n: number }>(`select count(*) as n from points where space = ? and ${text}`, spaceRow, ...values)?.n ?? 0
      );
    });
  }

  async remove(space: string, which: readonly string[] | { readonly where: Filter }, options?: CallOptions): Promise<number> {
    return this.#write(options, () => {
      if ('where' in which) checkFilter(which.where);
      const spaceRow = this.#space(space);
      if (spaceRow === undefined) return 0;
      return removePoints(this.#sql, spaceRow, 'where' in which ? this.#idsOf(spaceRow, which.where) : which);
    });
  }

  async spaces(options?: CallOptions): Promise<string[]> {
    return this.#read(options, () => {
      const holding = 'select name from spaces where exists (select 1 from points where points.space = spaces.id)';
      return this.#sql
        .all<{ name: string }>(holding)
        .map(({ name }) => name)
        .sort();
    });
  }

  async close(): Promise<void> {
    if (this.#database.isOpen) this.#database.close();
  }

  #idsOf(spaceRow: number, filter: Filter): string[] {
    const { text, values } = filterSql('row', spaceRow, filter);
    return this.#sql
      .all<{ id: string }>(`select id from points where space = ? and ${text}`, spaceRow, ...values)
      .map(({ id }) => id);
  }

  #hits(space: string, spaceRow: number, query: SearchQuery): Hit[] {
    const scores = new Map(nominate(this.#sql, spaceRow, query).map(({ row, score }) => [row, score]));
    const score = (row: number) => scores.get(row) as number;
    const text = `select ${POINT_COLUMNS} from points where row in (select value from json_each(?))`;
    return this.#sql
      .all<PointRow>(text, JSON.stringify([...scores.keys()]))
      .sort((a, b) => score(b.row) - score(a.row) || (a.id < b.id ? -1 : 1))
      .slice(0, query.limit)
      .map((row) => ({ point: this.#point(space, row, query.with), score: score(row.row) }));
  }

  #point(space: string, { row, id, revision, payload, terms }: PointRow, what: With = {}): StoredPoint {
    const vector = what.vector ? readVector(this.#sql, row) : undefined;
    return {
      id,
      space,
      revision,
      payload: JSON.parse(payload) as JsonObject,
      ...(vector && { vector: Array.from(vector) }),
      ...(what.terms &&
        terms !== null && { terms: Object.assign(Object.create(null), JSON.parse(terms)) as Record<string, number> }),
    };
  }

  #space(space: string): number | undefined {
    return spaceOf(this.#sql, checkSpace(space));
  }

  #dimension(): number | undefined {
    return this.#sql.get<{ dimension: number }>('select dimension from embedding')?.dimension;
  }

  async #read<T>(options: CallOptions | undefined, body: () => T): Promise<T> {
    return whenFree(this.#path, this.#busyWaitMs, options?.signal, () => inTransaction(this.#database, 'deferred', body));
  }

  async #write<T>(options: CallOptions | undefined, body: () => T): Promise<T> {
    return whenFree(this.#path, this.#busyWaitMs, options?.signal, () => inTransaction(this.#database, 'immediate', body));
  }
}

/** Tries again while another process is in the way; between the tries the event loop is free, as heartbeats need it. */
async function whenFree<T>(path: string, waitMs: number, signal: AbortSignal | undefined, body: () => T): Promise<T> {
  const giveUpAt = performance.now() + waitMs;
  for (;;) {
    signal?.throwIfAborted();
    try {
      return body();
    } catch (error) {
      if (!isBusy(error) || performance.now() > giveUpAt) throw asFailure(error, path);
    }
    await wait(RETRY_EVERY_MS);
  }
}
