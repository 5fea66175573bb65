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

/** Up to here, leaving rows out after vec0 gave them costs less than telling it before (measured at 10,000 points). */
const MOST_EXCLUDED = 64;

/** One more than asked tells whether there are ties at the limit. More cost: vec0's time grows with `k`, by half from 20 to 60. */
const SPARE = 1;

/** By words many points tie, those that share the same ones, and FTS5 scores every match anyway: reading more at once saves a second query. */
const SPARE_WORDS = 256;

/** Nominates points of one space by one signal. */
export function nominate(sql: Statements, space: number, query: SearchQuery): Nominee[] {
  if (query.dense !== undefined) return hasVectors(sql) ? nearest(sql, space, query.dense, query.filter ?? [], query.limit) : [];
  const words = [...new Set(query.sparse)].filter((word) => word !== '');
  return words.length === 0 ? [] : matching(sql, space, words, query.filter ?? [], query.limit);
}

function nearest(sql: Statements, space: number, vector: readonly number[], filter: Filter, limit: number): Nominee[] {
  const pushed = filter.flatMap((condition) => pushdown(condition) ?? []);
  const rest = filter.filter((condition) => pushdown(condition) === undefined);
  const excluded = excludedRows(sql, space, rest, MOST_NEAREST - limit - SPARE);
  const conditions = ['embedding match ?', 'k = ?', 'space = ?', ...pushed.map(({ text }) => text)];
  const values: (string | number | bigint)[] = pushed.map(({ value }) => value);
  if (excluded === undefined) {
    const { text, values: more } = filterSql('row', space, rest);
    conditions.push(`rowid in (select row from points where space = ? and ${text})`);
    values.push(BigInt(space), ...more);
  }
  const text = `select rowid as row, distance from vectors where ${conditions.join(' and ')} order by distance`;
  const embedding = Float32Array.from(vector);
  return untied(limit, MOST_NEAREST - (excluded?.size ?? 0), (k) =>
    sql
      .all<{ row: number; distance: number }>(text, embedding, BigInt(k + (excluded?.size ?? 0)), BigInt(space), ...values)
      .filter(({ row }) => !excluded?.has(row))
      .slice(0, k)
      // Of unit vectors: |a - b|^2 = 2 - 2 cos.
      .map(({ row, distance }) => ({ row, score: 1 - (distance * distance) / 2 })),
  );
}

/**
 * The few rows that the conditions leave out, where that is all that they do: reading so many more and dropping these is exact
 * too, and twice as fast as giving vec0 a list of all rows but these. Undefined where there are others or too many.
 */
function excludedRows(sql: Statements, space: number, filter: Filter, room: number): ReadonlySet<number> | undefined {
  const opposite: FieldCondition[] = [];
  for (const condition of filter) {
    if ('any' in condition || condition.noneOf === undefined || !saysOnly(condition, 'noneOf')) return undefined;
    opposite.push({ field: condition.field, anyOf: condition.noneOf });
  }
  if (opposite.length === 0) return new Set();
  const most = Math.min(MOST_EXCLUDED, room);
  const { text, values } = filterSql('row', space, [{ any: opposite }]);
  const rows = sql.all<{ row: number }>(`select row from points where space = ? and ${text} limit ?`, space, ...values, most + 1);
  return rows.length > most ? undefined : new Set(rows.map(({ row }) => row));
}

function matching(sql: Statements, space: number, words: readonly string[], filter: Filter, limit: number): Nominee[] {
  // The plus keeps SQLite from asking FTS5 once a row of the filter.
  const { text, values } = filterSql('+words.rowid', space, filter);
  return untied(
    limit,
    NO_BOUND,
    (k) =>
      sql
        .all<{ row: number; rank: number }>(
          `select rowid as row, bm25(words, 0, 1) as rank from words where words match ? and ${text} order by rank limit ?`,
          ...[ftsQuery(space, words), ...values, k],
        )
        .map(({ row, rank }) => ({ row, score: -rank })),
    SPARE_WORDS,
  );
}

/** Reads until the last of the list is worse than the one at the limit, or there is no more; what is worse is left out. */
function untied(limit: number, most: number, read: (k: number) => Nominee[], spare = SPARE): Nominee[] {
  for (let k = Math.min(limit + spare, most); ; k = Math.min(4 * k, most)) {
    const rows = read(k);
    const last = rows[limit - 1]?.score ?? Number.NEGATIVE_INFINITY;
    if (rows.length < k || k === most || last !== rows.at(-1)?.score) return rows.filter(({ score }) => score >= last);
  }
}

/** A condition that vec0 checks by itself while it reads: one kind, or currency, and nothing else. */
function pushdown(condition: Filter[number]): { text: string; value: string | bigint } | undefined {
  if ('any' in condition) return undefined;
  const { field, anyOf, absent } = condition;
  if (field === 'retiredAt' && absent !== undefined && saysOnly(condition, 'absent'))
    return { text: 'current = ?', value: absent ? 1n : 0n };
  const [kind] = anyOf ?? [];
  const oneKind = field === 'kind' && anyOf?.length === 1 && typeof kind === 'string' && kind !== '';
  return oneKind && saysOnly(condition, 'anyOf') ? { text: 'kind = ?', value: kind } : undefined;
}

function saysOnly(condition: FieldCondition, part: keyof FieldCondition): boolean {
  return Object.entries(condition).every(([key, value]) => key === 'field' || key === part || value === undefined);
}
