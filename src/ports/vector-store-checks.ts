import { EngraphError } from '../domain/failure.js';
import type { Json, JsonObject } from '../domain/json.js';
import { checkSpace } from '../domain/space.js';
import {
  INDEXED_FIELDS,
  type Filter,
  type FieldCondition,
  type IndexedField,
  type SearchQuery,
  type Write,
} from './vector-store.js';

/** Most hits or points that one call of `search` or `scan` may ask for. */
export const LIMIT_MAX = 4096;

/** How far the squared length of a vector may be from 1: far more than rounding to float32 or to four decimals leaves. */
const UNIT_TOLERANCE = 2e-3;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/u;
const FIELDS: ReadonlySet<string> = new Set(INDEXED_FIELDS);

/** What a store that holds a value of an indexed field can compare. */
export type FieldValue = string | number;

/**
 * Refuses writes that no store may take, before any of them is applied: `validation`, `bad_space`, or `embedding_dimension`
 * for a vector of another length than the store's (`dimension` undefined: the store has none yet, so no vector may come).
 */
export function checkWrites(space: string, writes: readonly Write[], dimension: number | undefined): void {
  checkSpace(space);
  for (const { point, expect, token } of writes) {
    if (!UUID.test(point.id))
      throw invalid(`the point id ${JSON.stringify(point.id)} is not a UUID in lower case; make it with idOf`);
    if (point.space !== space) {
      throw invalid(
        `point ${point.id} belongs to the space ${JSON.stringify(point.space)}, not to ${JSON.stringify(space)} it is written to`,
      );
    }
    if (expect !== undefined && (!Number.isSafeInteger(expect) || expect < 0)) {
      throw invalid(`point ${point.id} expects revision ${expect}; a revision is 0 or a positive whole number`);
    }
    if (expect !== undefined && !token)
      throw invalid(`point ${point.id} expects revision ${expect} without a token; name the operation`);
    if (point.vector !== undefined) checkVector(point.vector, dimension, `the vector of point ${point.id}`);
    for (const [word, count] of Object.entries(point.terms ?? {})) {
      if (word === '' || !Number.isSafeInteger(count) || count < 1) {
        throw invalid(`point ${point.id} has a term with the count ${count}; terms are words with positive whole counts`);
      }
    }
    const { kind } = point.payload;
    if (kind !== undefined && typeof kind !== 'string') throw invalid(`point ${point.id} has a kind that is not text`);
    for (const field of INDEXED_FIELDS) fieldValues(point.payload, field);
  }
}

/** Refuses a query that no store can answer: `validation` or `embedding_dimension`. */
export function checkQuery(query: SearchQuery, dimension: number | undefined): void {
  if ((query.dense === undefined) === (query.sparse === undefined))
    throw invalid('a query has either a dense vector or sparse words, and not both');
  checkLimit(query.limit);
  checkFilter(query.filter ?? []);
  // A store without an embedding holds no vectors, so any vector has the right length to find none.
  if (query.dense !== undefined) checkVector(query.dense, dimension ?? query.dense.length, 'the query vector');
}

/** Refuses a limit that is not a whole number from 1 to `LIMIT_MAX`. */
export function checkLimit(limit: number): void {
  if (!Number.isInteger(limit) || limit < 1 || limit > LIMIT_MAX)
    throw invalid(`the limit is ${limit}; it must be from 1 to ${LIMIT_MAX}`);
}

/** Refuses a filter that names a field which is not indexed, or a condition that says nothing. */
export function checkFilter(filter: Filter): void {
  for (const condition of filter) for (const one of 'any' in condition ? condition.any : [condition]) checkCondition(one);
}

function checkCondition(condition: FieldCondition): void {
  const { field, anyOf, noneOf, from, below, absent } = condition;
  if (!FIELDS.has(field))
    throw invalid(`the field ${JSON.stringify(field)} is not indexed; a filter may name ${INDEXED_FIELDS.join(', ')}`);
  if ([anyOf, noneOf, from, below, absent].every((part) => part === undefined))
    throw invalid(`the condition on ${field} says nothing`);
  if (from !== undefined && below !== undefined && typeof from !== typeof below) {
    throw invalid(`the range on ${field} goes from a ${typeof from} to a ${typeof below}; both must be of one type`);
  }
  for (const value of [...(anyOf ?? []), ...(noneOf ?? []), from ?? 0, below ?? 0]) {
    if (typeof value !== 'string' && !Number.isFinite(value))
      throw invalid(`the condition on ${field} has a value that is neither text nor a finite number`);
  }
}

/** The values by which an indexed field is found: none where it is missing, null or []. */
export function fieldValues(payload: JsonObject, field: IndexedField): readonly FieldValue[] {
  const value: Json | undefined = payload[field];
  if (value === undefined || value === null) return [];
  const values: readonly Json[] = Array.isArray(value) ? value : [value as Json];
  if (!values.every((one): one is FieldValue => typeof one === 'string' || (typeof one === 'number' && Number.isFinite(one)))) {
    throw invalid(`the field ${field} holds something else than text, numbers or a list of them, and could not be found again`);
  }
  return values;
}

/** The refusal of a write whose expected revision is not the stored one. */
export function conflict(id: string, expect: number, stored: number): EngraphError {
  return new EngraphError(
    'version_conflict',
    `point ${id} is at revision ${stored}, not at the ${expect} that was expected; read it again`,
    {
      details: { id, expect, stored },
    },
  );
}

function checkVector(vector: readonly number[], dimension: number | undefined, name: string): void {
  if (dimension === undefined) throw invalid(`${name} came before the store was told its embedding; call ensure first`);
  if (vector.length !== dimension) {
    throw new EngraphError(
      'embedding_dimension',
      `${name} has ${vector.length} numbers, the store's have ${dimension}; use the model the store was made for`,
      {
        details: { expected: dimension, got: vector.length },
      },
    );
  }
  let squares = 0;
  for (const value of vector) squares += value * value;
  if (!(Math.abs(squares - 1) <= UNIT_TOLERANCE))
    throw invalid(`${name} has the length ${Math.sqrt(squares)}; it must be a unit vector`);
}

function invalid(message: string): EngraphError {
  return new EngraphError('validation', message);
}
