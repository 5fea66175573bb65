import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';

type Value = string | number | bigint | null | Uint8Array | Float32Array;

/** More distinct texts than a program has by design; only filters of ever new shapes can make more. */
const CACHED = 256;

/** Prepared statements of one connection by their text. Rows are read as the type that the SQL says they have. */
export class Statements {
  readonly #cache = new Map<string, StatementSyncInstance>();
  readonly #database: DatabaseSyncInstance;

  constructor(database: DatabaseSyncInstance) {
    this.#database = database;
  }

  all<Row>(sql: string, ...values: readonly Value[]): Row[] {
    return this.#statement(sql).all(...values) as Row[];
  }

  get<Row>(sql: string, ...values: readonly Value[]): Row | undefined {
    return this.#statement(sql).get(...values) as Row | undefined;
  }

  /** Runs a change and gives the row it inserted last. */
  run(sql: string, ...values: readonly Value[]): number {
    return Number(this.#statement(sql).run(...values).lastInsertRowid);
  }

  #statement(sql: string): StatementSyncInstance {
    const cached = this.#cache.get(sql);
    if (cached !== undefined) return cached;
    if (this.#cache.size >= CACHED) this.#cache.clear();
    const statement = this.#database.prepare(sql);
    this.#cache.set(sql, statement);
    return statement;
  }
}
