import { LIMIT_MAX } from '../ports/vector-store-checks.js';
import type { FieldCondition, Filter, SearchQuery } from '../ports/vector-store.js';
import { filterSql } from './sqlite-filter.js';
import type { Statements } from './sqlite-statements.js';
import { ftsQuery } from './sqlite-words.js';
import { hasVectors } from './sqlite-write.js';

/** A point's row and its score, best first; ties beyond the limit are still in, so that the caller can sort them by id. */
export interface Nominee {
  readonly row: number;
  readonly score: number;
}

/** Most rows that vec0 gives for one search. */
const MOST_NEAREST = LIMIT_MAX;
const NO_BOUND = 2 ** 30;

/** One more than asked tells whether there are ties at the limit. More cost: vec0's time grows with `k`, by half from 20 to 60. */
const SPARE = 1;

/** Nominates points of one space by one signal. */
export function nominate(sql: Statements, space: number, query: SearchQuery): Nominee[] {
  if (query.dense !== undefined) return hasVectors(sql) ? nearest(sql, space, query.dense, query.filter ?? [], query.limit) : [];
  const words = [...new Set(query.sparse)].filter((word) => word !== '');
  return words.length === 0 ? [] : matching(sql, space, words, query.filter ?? [], query.limit);
}

function nearest(sql: Statements, space: number, vector: readonly number[], filter: Filter, limit: number): Nominee[] {
  const conditions = ['embedding match ?', 'k = ?', 'space = ?'];
  const values: (string | number | bigint)[] = [];
  const rest: Filter[number][] = [];
  for (const condition of filter) {
    const kind = onlyKind(condition);
    const current = currency(condition);
    if (kind !== undefined) conditions.push('kind = ?');
    else if (current !== undefined) conditions.push('current = ?');
    else rest.push(condition);
    if (kind !== undefined) values.push(kind);
    else if (current !== undefined) values.push(current);
  }
  if (rest.length > 0) {
    const { text, values: more } = filterSql('row', space, rest);
    conditions.push(`rowid in (select row from points where space = ? and ${text})`);
    values.push(BigInt(space), ...more);
  }
  const text = `select rowid as row, distance from vectors where ${conditions.join(' and ')}`;
  const embedding = Float32Array.from(vector);
  return untied(limit, MOST_NEAREST, (k) =>
    sql.all<{ row: number; distance: number }>(text, embedding, BigInt(k), BigInt(space), ...values).map(({ row, distance }) => {
      // Of unit vectors: |a - b|^2 = 2 - 2 cos.
      return { row, score: 1 - (distance * distance) / 2 };
    }),
  );
}

function matching(sql: Statements, space: number, words: readonly string[], filter: Filter, limit: number): Nominee[] {
  // The plus keeps SQLite from asking FTS5 once a row of the filter.
  const { text, values } = filterSql('+words.rowid', space, filter);
  return untied(limit, NO_BOUND, (k) =>
    sql
      .all<{ row: number; rank: number }>(
        `select rowid as row, bm25(words, 0, 1) as rank from words where words match ? and ${text} order by rank limit ?`,
        ...[ftsQuery(space, words), ...values, k],
      )
      .map(({ row, rank }) => ({ row, score: -rank })),
  );
}

/** Reads until the last of the list is worse than the one at the limit, or there is no more. */
function untied(limit: number, most: number, read: (k: number) => Nominee[]): Nominee[] {
  for (let k = Math.min(limit + SPARE, most); ; k = Math.min(4 * k, most)) {
    const rows = read(k);
    if (rows.length < k || k === most || rows[limit - 1]?.score !== rows.at(-1)?.score) return rows;
  }
}

/** The kind, where the condition says nothing but that it is this one: checked by vec0 itself while it reads. */
function onlyKind(condition: Filter[number]): string | undefined {
  if ('any' in condition || condition.field !== 'kind' || condition.anyOf?.length !== 1 || !saysOnly(condition, 'anyOf'))
    return undefined;
  const [kind] = condition.anyOf;
  return typeof kind === 'string' && kind !== '' ? kind : undefined;
}

/** 1 for current points only, 0 for retired ones only, where the condition says nothing else: checked by vec0 too. */
function currency(condition: Filter[number]): bigint | undefined {
  if ('any' in condition || condition.field !== 'retiredAt' || condition.absent === undefined || !saysOnly(condition, 'absent'))
    return undefined;
  return condition.absent ? 1n : 0n;
}

function saysOnly(condition: FieldCondition, part: keyof FieldCondition): boolean {
  return Object.entries(condition).every(([key, value]) => key === 'field' || key === part || value === undefined);
}
