import type { Schemas } from '@qdrant/js-client-rest';

import type { FieldValue } from '../ports/vector-store-checks.js';
import type { FieldCondition, Filter, IndexedField } from '../ports/vector-store.js';
import { isTime, keywordOf, prefixOfRange, TIME_FIELDS, timeRank, valueOf } from './qdrant-values.js';

export type QdrantFilter = Schemas['Filter'];
type Part = Schemas['Condition'];

/** Gives the keywords that occur in an indexed payload field of the points that meet the filter. */
export type Facet = (key: string, filter: QdrantFilter) => Promise<readonly string[]>;

/** Nothing meets it. */
const NOTHING: Part = { has_id: [] };

/** All points of a space. */
export const inSpace = (space: string): Part => ({ key: 'space', match: { value: space } });

/**
 * The port's filter inside one space as Qdrant's. Ranges of times and of the beginnings of keys have indexes of their own; any
 * other range is first looked up among the values that occur (`facet`), which is exact, and slow where those are many.
 */
export async function filterFor(space: string, filter: Filter, facet: Facet): Promise<QdrantFilter> {
  const must: Part[] = [inSpace(space)];
  for (const condition of filter) {
    if (!('any' in condition)) must.push(...(await partsOf(space, condition, facet)));
    else if (condition.any.length === 0) must.push(NOTHING);
    else {
      const should: Part[] = [];
      for (const one of condition.any) should.push({ must: await partsOf(space, one, facet) });
      must.push({ should });
    }
  }
  return { must };
}

async function partsOf(space: string, condition: FieldCondition, facet: Facet): Promise<Part[]> {
  const { field, anyOf, noneOf, from, below, absent } = condition;
  const key = fieldKey(field);
  const parts: Part[] = [];
  if (anyOf !== undefined) parts.push(anyOfKeywords(key, anyOf.map(keywordOf)));
  if (noneOf !== undefined && noneOf.length > 0) parts.push({ must_not: [anyOfKeywords(key, noneOf.map(keywordOf))] });
  if (absent !== undefined) parts.push(absent ? { is_empty: { key } } : { must_not: [{ is_empty: { key } }] });
  if (from !== undefined || below !== undefined) parts.push(await rangeOf(space, { field, from, below }, facet));
  return parts;
}

/** The path of an indexed field in the payload. */
export const fieldKey = (field: IndexedField): string => `fields.${field}`;

function anyOfKeywords(key: string, keywords: readonly string[]): Part {
  if (keywords.length === 0) return NOTHING;
  return { key, match: keywords.length === 1 ? { value: keywords[0] as string } : { any: [...keywords] } };
}

interface Range {
  readonly field: IndexedField;
  readonly from: FieldValue | undefined;
  readonly below: FieldValue | undefined;
}

async function rangeOf(space: string, range: Range, facet: Facet): Promise<Part> {
  const { field, from, below } = range;
  const timed = TIME_FIELDS.includes(field) && typeof (from ?? below) === 'string';
  const exact = [from, below].every((bound) => bound === undefined || (typeof bound === 'string' && isTime(bound)));
  if (timed && exact) {
    const bounds = { ...(from !== undefined && { gte: rankOf(from) }), ...(below !== undefined && { lt: rankOf(below) }) };
    return { key: `times.${field}`, range: bounds };
  }
  const prefix = field === 'key' ? prefixOfRange(from, below) : undefined;
  if (prefix !== undefined) return { key: 'prefixes', match: { value: prefix } };
  // Ranks say in what part of the times to look, and the texts themselves what lies in the range.
  const around: Part[] = timed
    ? [
        ...(from === undefined ? [] : [{ key: `times.${field}`, range: { gte: rankOf(from) } }]),
        ...(below === undefined ? [] : [{ key: `times.${field}`, range: { lte: rankOf(below) } }]),
      ]
    : [];
  const keywords = await facet(fieldKey(field), { must: [inSpace(space), ...around] });
  return anyOfKeywords(
    fieldKey(field),
    keywords.filter((keyword) => isWithin(valueOf(keyword), range)),
  );
}

const rankOf = (bound: FieldValue): number => timeRank(String(bound));

function isWithin(value: FieldValue, { from, below }: Range): boolean {
  const atLeast = from === undefined || (typeof value === typeof from && value >= from);
  return atLeast && (below === undefined || (typeof value === typeof below && value < below));
}
