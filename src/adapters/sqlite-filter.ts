import type { FieldCondition, Filter } from '../ports/vector-store.js';

/** A piece of SQL with the values of its `?`. */
export interface Sql {
  readonly text: string;
  readonly values: readonly (string | number | bigint)[];
}

/** The condition that a column of point rows meets the filter, inside one space: `true` for an empty filter. */
export function filterSql(column: string, space: number, filter: Filter): Sql {
  const parts = filter.map((condition) =>
    'any' in condition
      ? join(
          condition.any.map((one) => conditionSql(column, space, one)),
          ' or ',
          'false',
        )
      : conditionSql(column, space, condition),
  );
  return join(parts, ' and ', 'true');
}

/**
 * Text whose order by bytes of UTF-8, as SQLite compares, is the order by UTF-16 code units, as the port wants: only what
 * lies above the surrogates has to move behind them. NUL, where SQLite's JSON would cut the text, is escaped in the same order,
 * and lone surrogates, which UTF-8 cannot hold, count as U+FFFD.
 */
export function sortable(value: string | number): string | number {
  return typeof value === 'number'
    ? value
    : value.toWellFormed().replace(OUT_OF_ORDER, (character) => MOVED[character] ?? `\u{10ffff}${character}`);
}

// eslint-disable-next-line no-control-regex -- NUL is what this is about
const OUT_OF_ORDER = /[\u0000\u0001\ue000-\uffff\u{10ffff}]/gu;
const MOVED: Readonly<Record<string, string>> = {
  '\0': '\u0001\u0001',
  '\u0001': '\u0001\u0002',
  '\u{10ffff}': '\u{10ffff}\u0001',
};

function conditionSql(column: string, space: number, { field, anyOf, noneOf, from, below, absent }: FieldCondition): Sql {
  const rows = (not: boolean, which: string, ...values: (string | number)[]): Sql => ({
    text: `${column} ${not ? 'not in' : 'in'} (select point from fields where space = ? and field = ?${which})`,
    values: [BigInt(space), field, ...values],
  });
  const list = (values: readonly (string | number)[]) => JSON.stringify(values.map(sortable));
  const parts: Sql[] = [];
  if (anyOf !== undefined) parts.push(rows(false, ' and value in (select value from json_each(?))', list(anyOf)));
  if (noneOf !== undefined) parts.push(rows(true, ' and value in (select value from json_each(?))', list(noneOf)));
  if (absent !== undefined) parts.push(rows(absent, ''));
  const bound = from ?? below;
  if (bound !== undefined) {
    // SQLite sorts every number before every text, so an open range would take in the other type.
    const type = typeof bound === 'string' ? " and typeof(value) = 'text'" : " and typeof(value) <> 'text'";
    const limits = [from, below].filter((limit) => limit !== undefined).map(sortable);
    const ranges = (from === undefined ? '' : ' and value >= ?') + (below === undefined ? '' : ' and value < ?');
    parts.push(rows(false, ranges + type, ...limits));
  }
  return join(parts, ' and ', 'true');
}

function join(parts: readonly Sql[], glue: string, empty: string): Sql {
  if (parts.length === 0) return { text: empty, values: [] };
  return { text: parts.map(({ text }) => `(${text})`).join(glue), values: parts.flatMap(({ values }) => values) };
}
