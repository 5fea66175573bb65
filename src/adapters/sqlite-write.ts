import type { JsonObject } from '../domain/json.js';
import { conflict, fieldValues } from '../ports/vector-store-checks.js';
import { INDEXED_FIELDS, type Write } from '../ports/vector-store.js';
import { sortable } from './sqlite-filter.js';
import type { Statements } from './sqlite-statements.js';
import { indexWords, Tally, unindexWords, type Counted } from './sqlite-words.js';

interface Row {
  readonly row: number;
  readonly revision: number;
  readonly token: string | null;
  readonly payload: string;
  readonly terms: string | null;
}

/** A point's content as the indexes see it. */
interface Content {
  readonly payload: JsonObject;
  readonly terms: ReadonlyMap<string, number>;
  readonly vector: Float32Array | undefined;
}

const NOTHING: Content = { payload: {}, terms: new Map(), vector: undefined };

/** Applies checked writes in their order; a refused one throws `version_conflict`, and the caller's transaction undoes the rest. */
export function writePoints(sql: Statements, space: string, writes: readonly Write[]): void {
  if (writes.length === 0) return;
  sql.run('insert into spaces (name) values (?) on conflict do nothing', space);
  const spaceRow = spaceOf(sql, space) as number;
  const tally = new Tally();
  for (const write of writes) writePoint(sql, spaceRow, write, tally);
  tally.write(sql, spaceRow);
}

/** Removes the points that exist and says how many there were. */
export function removePoints(sql: Statements, space: number, ids: readonly string[]): number {
  const tally = new Tally();
  let removed = 0;
  for (const id of ids) {
    const old = readRow(sql, space, id);
    if (old === undefined) continue;
    reindex(sql, space, old.row, contentOf(sql, old), NOTHING, tally);
    sql.run('delete from points where row = ?', old.row);
    removed += 1;
  }
  tally.write(sql, space);
  return removed;
}

/** The row of a space that was ever written to. */
export function spaceOf(sql: Statements, space: string): number | undefined {
  return sql.get<{ id: number }>('select id from spaces where name = ?', space)?.id;
}

function writePoint(sql: Statements, space: number, { point, expect, token }: Write, tally: Tally): void {
  const old = readRow(sql, space, point.id);
  if (expect !== undefined) {
    if (old !== undefined && old.token === token) return;
    if ((old?.revision ?? 0) !== expect) throw conflict(point.id, expect, old?.revision ?? 0);
  }
  const payload = JSON.stringify(point.payload);
  const terms = point.terms === undefined ? null : JSON.stringify(point.terms);
  const content: Content = {
    payload: point.payload,
    terms: new Map(Object.entries(point.terms ?? {})),
    vector: point.vector && Float32Array.from(point.vector),
  };
  const before = old === undefined ? NOTHING : contentOf(sql, old);
  if (old !== undefined) {
    sql.run(
      'update points set revision = revision + 1, token = ?, payload = ?, terms = ? where row = ?',
      token ?? null,
      payload,
      terms,
      old.row,
    );
  }
  const row =
    old?.row ??
    sql.run(
      'insert into points (space, id, revision, token, payload, terms) values (?, ?, 1, ?, ?, ?)',
      ...[space, point.id, token ?? null, payload, terms],
    );
  reindex(sql, space, row, before, content, tally);
}

function readRow(sql: Statements, space: number, id: string): Row | undefined {
  return sql.get<Row>('select row, revision, token, payload, terms from points where space = ? and id = ?', space, id);
}

function contentOf(sql: Statements, { row, payload, terms }: Row): Content {
  return {
    payload: JSON.parse(payload) as JsonObject,
    terms: new Map(Object.entries(JSON.parse(terms ?? '{}') as Record<string, number>)),
    vector: readVector(sql, row),
  };
}

/** A point's vector as it is stored, float32; undefined where it has none. */
export function readVector(sql: Statements, row: number): Float32Array | undefined {
  if (!hasVectors(sql)) return undefined;
  const bytes = sql.get<{ embedding: Uint8Array }>('select embedding from vectors where rowid = ?', BigInt(row))?.embedding;
  return bytes && new Float32Array(bytes.slice().buffer);
}

/** Whether the store was told its embedding, without which there is no vector in it. */
export function hasVectors(sql: Statements): boolean {
  return sql.get('select 1 from embedding') !== undefined;
}

function reindex(sql: Statements, space: number, row: number, before: Content, after: Content, tally: Tally): void {
  reindexFields(sql, space, row, before.payload, after.payload);
  if (!sameTerms(before.terms, after.terms)) {
    if (before.terms.size > 0) unindexWords(sql, row);
    if (after.terms.size > 0) indexWords(sql, space, row, after.terms);
  }
  const [was, is] = [counted(before), counted(after)];
  if (was !== undefined) tally.add(was, -1);
  if (is !== undefined) tally.add(is, 1);
  reindexVector(sql, space, row, before, after);
}

function reindexFields(sql: Statements, space: number, row: number, before: JsonObject, after: JsonObject): void {
  for (const field of INDEXED_FIELDS) {
    const was = new Set(fieldValues(before, field).map(sortable));
    const is = new Set(fieldValues(after, field).map(sortable));
    for (const value of was) {
      if (!is.has(value))
        sql.run('delete from fields where space = ? and field = ? and value = ? and point = ?', space, field, value, row);
    }
    for (const value of is) if (!was.has(value)) sql.run('insert into fields values (?, ?, ?, ?)', space, field, value, row);
  }
}

function reindexVector(sql: Statements, space: number, row: number, before: Content, after: Content): void {
  if (after.vector === undefined) {
    if (before.vector !== undefined) sql.run('delete from vectors where rowid = ?', BigInt(row));
    return;
  }
  const flags = [kindOf(after.payload), isCurrent(after.payload)] as const;
  if (before.vector === undefined) {
    const values = [BigInt(row), BigInt(space), ...flags, after.vector] as const;
    sql.run('insert into vectors (rowid, space, kind, current, embedding) values (?, ?, ?, ?, ?)', ...values);
    return;
  }
  if (flags[0] !== kindOf(before.payload) || flags[1] !== isCurrent(before.payload)) {
    sql.run('update vectors set kind = ?, current = ? where rowid = ?', ...flags, BigInt(row));
  }
  const old = before.vector;
  if (!after.vector.every((value, i) => value === old[i]))
    sql.run('update vectors set embedding = ? where rowid = ?', after.vector, BigInt(row));
}

function counted({ payload, terms }: Content): Counted | undefined {
  return terms.size > 0 && isCurrent(payload) === 1n ? { kind: kindOf(payload), terms } : undefined;
}

/** `checkWrites` has seen to it that a kind is text. */
const kindOf = (payload: JsonObject): string => (typeof payload['kind'] === 'string' ? payload['kind'] : '');

const isCurrent = (payload: JsonObject): bigint => (fieldValues(payload, 'retiredAt').length === 0 ? 1n : 0n);

function sameTerms(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): boolean {
  return a.size === b.size && [...a].every(([word, count]) => b.get(word) === count);
}
