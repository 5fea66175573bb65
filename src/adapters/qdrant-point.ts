import { createHash } from 'node:crypto';

import type { Schemas } from '@qdrant/js-client-rest';

import type { JsonObject } from '../domain/json.js';
import { fieldValues } from '../ports/vector-store-checks.js';
import { INDEXED_FIELDS, type Point, type StoredPoint, type With } from '../ports/vector-store.js';
import { keywordOf, prefixesOf, TIME_FIELDS, timeRank, valueOf } from './qdrant-values.js';
import { sparseOf } from './qdrant-words.js';

/** The names of the two vectors of a point. */
export const DENSE = 'dense';
export const SPARSE = 'words';

/** The payload of a point in Qdrant. What is filtered by is indexed; what is given back is kept as text, since Qdrant's JSON reader sorts keys and refuses lone surrogates. */
export interface Kept {
  readonly space: string;
  readonly id: string;
  readonly revision: number;
  /** The last writes of the point, newest last, by the mark of each: how a writer knows whether its own was applied. */
  readonly trail: readonly string[];
  readonly token?: string;
  /** The port's payload as JSON. */
  readonly payload: string;
  /** Keywords of each indexed field, those of absent fields left out. */
  readonly fields: Readonly<Record<string, readonly string[]>>;
  readonly times: Readonly<Record<string, readonly number[]>>;
  readonly prefixes?: readonly string[];
  /** The point's terms: words as keywords, and the count of each. */
  readonly words?: readonly string[];
  readonly counts?: readonly number[];
  /** Words in all, repeats counted; only where there are any. */
  readonly length?: number;
  /** The kind of a current point that has words: what statistics count over. */
  readonly counted?: string;
}

/** Payload fields to ask for, so that what only the indexes need is not sent. */
export const fieldsFor = (what: With = {}): string[] => ['id', 'revision', 'payload', ...(what.terms ? ['words', 'counts'] : [])];

/** Vectors to ask for. */
export const vectorsFor = (what: With = {}): string[] | false => (what.vector ? [DENSE] : false);

/**
 * A point's id in Qdrant: the first 80 bits of its own, and 48 bits of its space. So one id may stand in several spaces, and
 * the order of ids inside a space is the order in Qdrant, which pages rest on. Two ids of one space that agree in their first
 * 80 bits can't both be stored; ids made by `idOf` don't.
 */
export const qdrantIdOf = (spaceHash: string, id: string): string => `${id.slice(0, 24)}${spaceHash}`;

/** What stands for a space in the ids of its points. */
export const spaceHashOf = (space: string): string => createHash('sha256').update(space).digest('hex').slice(0, 12);

/** How a write is known. */
export interface Mark {
  readonly revision: number;
  readonly trail: readonly string[];
  /** The write's token as a keyword. */
  readonly token: string | undefined;
}

/** A point as it is sent. Vectors are rounded to float32, which is what every store keeps. */
export function sentPoint(point: Point, spaceHash: string, { revision, trail, token }: Mark): Schemas['PointStruct'] {
  const { space, id, payload, vector, terms } = point;
  const words = Object.entries(terms ?? {});
  const length = words.reduce((sum, [, count]) => sum + count, 0);
  const fields = Object.fromEntries(
    INDEXED_FIELDS.flatMap((field) => {
      const values = fieldValues(payload, field);
      return values.length === 0 ? [] : [[field, [...new Set(values.map(keywordOf))]]];
    }),
  );
  const kind = length > 0 && fields['retiredAt'] === undefined ? fields['kind']?.[0] : undefined;
  const prefixes = textsOf(payload, 'key').flatMap(prefixesOf);
  const kept: Kept = {
    ...{ space, id, revision, trail, payload: JSON.stringify(payload), fields, times: timesOf(payload) },
    ...(token !== undefined && { token }),
    ...(prefixes.length > 0 && { prefixes }),
    ...(terms !== undefined && { words: words.map(([word]) => keywordOf(word)), counts: words.map(([, count]) => count) }),
    ...(length > 0 && { length }),
    ...(kind !== undefined && { counted: kind }),
  };
  return {
    id: qdrantIdOf(spaceHash, id),
    vector: { ...(vector && { [DENSE]: vector.map(rounded) }), ...(length > 0 && { [SPARSE]: sparseOf(words, length, id) }) },
    payload: kept as unknown as Record<string, unknown>,
  };
}

/** Nine digits say which float32 a number is; the seventeen of its double would only be more to send. */
export const rounded = (value: number): number => Number(Math.fround(value).toPrecision(9));

/** A record or a hit as a point of the port. */
export function pointOf(
  space: string,
  { payload, vector }: { payload?: unknown; vector?: unknown },
  what: With = {},
): StoredPoint {
  const { id, revision, payload: text, words, counts = [] } = payload as Kept;
  const dense = (vector as Readonly<Record<string, number[]>> | undefined)?.[DENSE];
  return {
    id,
    space,
    revision,
    payload: JSON.parse(text) as JsonObject,
    ...(what.vector && dense && { vector: Array.from(Float32Array.from(dense)) }),
    ...(what.terms && words && { terms: termsOf(words, counts) }),
  };
}

function termsOf(words: readonly string[], counts: readonly number[]): Record<string, number> {
  const terms = Object.create(null) as Record<string, number>; // `constructor` and `__proto__` are words
  for (const [at, word] of words.entries()) terms[valueOf(word)] = counts[at] as number;
  return terms;
}

function timesOf(payload: JsonObject): Record<string, number[]> {
  return Object.fromEntries(
    TIME_FIELDS.flatMap((field) => {
      const texts = textsOf(payload, field);
      return texts.length === 0 ? [] : [[field, texts.map(timeRank)]];
    }),
  );
}

const textsOf = (payload: JsonObject, field: (typeof INDEXED_FIELDS)[number]): string[] =>
  fieldValues(payload, field).filter((value) => typeof value === 'string');
