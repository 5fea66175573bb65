import type { FieldValue } from '../ports/vector-store-checks.js';
import type { IndexedField } from '../ports/vector-store.js';

/**
 * A value as one text by which a keyword index finds exactly it: a text is itself, a number has `#` before it. Text that could
 * be taken for a number, and text with lone surrogates, which no JSON reader of a server takes, are marked and escaped.
 */
export function keywordOf(value: FieldValue): string {
  if (typeof value === 'number') return `#${value}`;
  if (!value.isWellFormed()) return `#${JSON.stringify(value)}`;
  return value.startsWith('#') ? `#${value}` : value;
}

/** The value that `keywordOf` made the text of. */
export function valueOf(keyword: string): FieldValue {
  if (!keyword.startsWith('#')) return keyword;
  if (keyword.startsWith('#"')) return JSON.parse(keyword.slice(1)) as string;
  return keyword.startsWith('##') ? keyword.slice(1) : Number(keyword.slice(1));
}

/** The fields that hold times and are asked for in ranges; each has an index of numbers beside the one of its texts. */
export const TIME_FIELDS: readonly IndexedField[] = ['recordedAt', 'retiredAt', 'validFrom', 'validTo'];

const CANONICAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u;
/** The first and the last millisecond whose ISO text has a year of four digits. */
const [FIRST, LAST] = [Date.parse('0000-01-01T00:00:00.000Z'), Date.parse('9999-12-31T23:59:59.999Z')];

/** Whether a text is a time just as the store keeps times, so that `timeRank` is enough to compare others with it. */
export const isTime = (text: string): boolean =>
  CANONICAL.test(text) && !Number.isNaN(Date.parse(text)) && new Date(text).toISOString() === text;

/**
 * The last time, in milliseconds since 1970, whose ISO text comes not after this text in the order of code units; one less
 * than the first where there is none. So texts of any kind compare with a time as their ranks do: Qdrant has ranges of
 * numbers and none of texts.
 */
export function timeRank(text: string): number {
  if (isTime(text)) return Date.parse(text);
  let [before, after] = [FIRST - 1, LAST + 1];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (new Date(middle).toISOString() <= text) before = middle;
    else after = middle;
  }
  return before;
}

/** Where a key may be cut to list what begins so: after each of these. */
const CUTS = /[/:]/gu;

/** The beginnings of a key, up to and with each cut, by which `key` ranges of the form of `prefixOfRange` are found. */
export function prefixesOf(key: string): string[] {
  return [...key.matchAll(CUTS)].flatMap(({ index }) => (key[index + 1] === '\uffff' ? [] : [key.slice(0, index + 1)]));
}

/** The beginning that a range from `p` to below `p` and U+FFFF asks for, where `prefixesOf` has it; else undefined. */
export function prefixOfRange(from: FieldValue | undefined, below: FieldValue | undefined): string | undefined {
  if (typeof from !== 'string' || below !== `${from}\uffff`) return undefined;
  return /[/:]$/u.test(from) ? from : undefined;
}
