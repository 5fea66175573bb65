import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { getLoadablePath } from 'sqlite-vec';

import { EngraphError } from '../domain/failure.js';
import type { EmbeddingIdentity } from '../ports/vector-store.js';
import { notAStore } from './sqlite-failure.js';

/** `Engr` in the file's header: how a store of ours is told from any other SQLite file. */
const APPLICATION_ID = 0x456e6772;

/** Of the tables below. A file of a later version is refused, since its meaning is not known here. */
const SCHEMA_VERSION = 1;

/** How long SQLite itself waits for another process, in milliseconds. Short, since it blocks the event loop; `sqlite.ts` waits on. */
const BLOCKING_WAIT_MS = 50;

/**
 * `fields` is the index of every filterable field, lists included. `words` is FTS5 over our own tokens (see `ftsToken`), the
 * space in a column of its own so that a query ANDs it. `corpora` and `frequency` count current points only (no `retiredAt`).
 */
const TABLES = `
create table embedding (one integer primary key check (one = 1), model text not null, dimension integer not null, hash text not null) strict;
create table spaces (id integer primary key, name text not null unique) strict;
create table points (
  row integer primary key, space integer not null references spaces (id), id text not null, revision integer not null,
  token text, payload text not null, terms text, unique (space, id)
) strict;
create table fields (space integer, field text, value any, point integer, primary key (space, field, value, point)) strict, without rowid;
create table corpora (
  id integer primary key, space integer not null, kind text not null, documents integer not null default 0, words integer not null default 0,
  unique (space, kind)
) strict;
create table frequency (corpus integer, word text, documents integer not null, primary key (corpus, word)) strict, without rowid;
create virtual table words using fts5 (scope, body, content='', contentless_delete=1, tokenize='ascii');
`;

/**
 * The exact vector index: one space is one partition, so a search reads only its own; kind and currency are checked while
 * reading, other filters by a list of rows. Vectors are unit vectors, for which Euclidean distance gives the order of the
 * cosine, and of the two only it is vectorised in sqlite-vec 0.1.9 (measured: 1.6 times as fast). Small chunks cost small
 * spaces little and keep large `k` cheap.
 */
const vectorTable = (dimension: number): string => `
create virtual table vectors using vec0 (
  space integer partition key, kind text, current boolean, embedding float[${dimension}] distance_metric=l2, chunk_size=128
)`;

/** Opens the file, creates it and its folder where they are missing. Fails with `config` for a file that is no store of ours. */
export function openDatabase(path: string): DatabaseSyncInstance {
  if (path !== ':memory:') makeFolder(path);
  const database = new DatabaseSync(path, { allowExtension: true, timeout: BLOCKING_WAIT_MS });
  try {
    database.enableLoadExtension(true);
    database.loadExtension(getLoadablePath());
    database.enableLoadExtension(false);
    checkHeader(database, path);
    // Larger pages halve the time of reading vectors; they hold only for a file that is still empty.
    database.exec('pragma page_size = 16384; pragma journal_mode = wal');
    // The store of record: a commit that was answered survives a power cut.
    database.exec(
      'pragma synchronous = full; pragma foreign_keys = on; pragma mmap_size = 1073741824; pragma cache_size = -32000',
    );
    inTransaction(database, 'immediate', () => {
      if (checkHeader(database, path) === SCHEMA_VERSION) return;
      database.exec(TABLES);
      database.exec(`pragma application_id = ${APPLICATION_ID}; pragma user_version = ${SCHEMA_VERSION}`);
    });
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** What the file's vectors were made with; undefined until the first `ensure`. */
export function readEmbedding(database: DatabaseSyncInstance): EmbeddingIdentity | undefined {
  const row = database.prepare('select model, dimension, hash from embedding').get() as EmbeddingIdentity | undefined;
  return row && { model: row.model, dimension: row.dimension, hash: row.hash };
}

/** Records the embedding and makes room for its vectors. Must be called in a write transaction, once in a file's life. */
export function createVectors(database: DatabaseSyncInstance, { model, dimension, hash }: EmbeddingIdentity): void {
  database.prepare('insert into embedding values (1, ?, ?, ?)').run(model, dimension, hash);
  database.exec(vectorTable(dimension));
}

/** Runs the body in one transaction: all of it or, when it throws, nothing. */
export function inTransaction<T>(database: DatabaseSyncInstance, mode: 'deferred' | 'immediate', body: () => T): T {
  database.exec(`begin ${mode}`);
  try {
    const result = body();
    database.exec('commit');
    return result;
  } catch (error) {
    // Some errors (a full disk) have rolled back by themselves.
    if (database.isTransaction) database.exec('rollback');
    throw error;
  }
}

/** The version of the file's tables, 0 for an empty file. */
function checkHeader(database: DatabaseSyncInstance, path: string): number {
  const number = (sql: string) => Number((database.prepare(sql).get() as { n: number }).n);
  const owner = number('select application_id as n from pragma_application_id');
  const version = number('select user_version as n from pragma_user_version');
  if (owner === 0 && number('select count(*) as n from sqlite_master') === 0) return 0;
  if (owner !== APPLICATION_ID) throw notAStore(path, 'it is an SQLite file of another program');
  if (version > SCHEMA_VERSION)
    throw notAStore(path, `its tables are of version ${version}, this program knows ${SCHEMA_VERSION}; update Engraph`);
  return version;
}

function makeFolder(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
  } catch (error) {
    throw new EngraphError('config', `no folder can be made for the store ${path}; name another file (ENGRAPH_STORE)`, {
      cause: error,
      details: { path },
    });
  }
}
