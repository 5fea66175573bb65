import { EngraphError } from '../domain/failure.js';
import type { NodeKind, SemanticForm } from '../domain/graph.js';
import type { JsonObject } from '../domain/json.js';
import type { Filter } from '../ports/vector-store.js';
import { trueAtFilter } from './true-at.js';
import { aliveAt, afterTime, storedTime } from './validity.js';

/** Which nodes a search may return. */
export interface SearchBounds {
  readonly kinds?: readonly NodeKind[] | undefined;
  readonly forms?: readonly SemanticForm[] | undefined;
  readonly asOf?: string | undefined;
  readonly trueAt?: string | undefined;
  readonly from?: string | undefined;
  readonly until?: string | undefined;
  readonly exclude?: readonly string[] | undefined;
}

/**
 * The bounds as a filter. Fails with `bad_timestamp`, and with `validation` for a range that ends before it begins. A turn was
 * said at one time, its `validFrom`; anything else holds from its `validFrom` until its `validTo`, where it has one.
 */
export function filterOf({ kinds = ['semantic'], forms, asOf, trueAt, exclude = [], ...range }: SearchBounds): Filter {
  return [
    { field: 'kind', anyOf: kinds },
    ...(forms ? [{ field: 'form' as const, anyOf: forms }] : []),
    ...(exclude.length > 0 ? [{ field: 'nodeId' as const, noneOf: exclude }] : []),
    ...within(range),
    ...(trueAt === undefined ? aliveAt(asOf) : trueAtFilter(trueAt)),
  ];
}

/** Whether a turn read for another's sake, and alive, may be returned too. */
export function isWithin(turn: JsonObject, { exclude = [], from, until, trueAt }: SearchBounds): boolean {
  const said = turn['validFrom'];
  if (exclude.includes(String(turn['nodeId']))) return false;
  if (from === undefined && until === undefined && trueAt === undefined) return true;
  if (typeof said !== 'string') return false;
  if (trueAt !== undefined && said >= afterTime(trueAt)) return false;
  return (from === undefined || said >= storedTime(from)) && (until === undefined || said < storedTime(until));
}

function within({ from, until }: Pick<SearchBounds, 'from' | 'until'>): Filter {
  const [first, end] = [from, until].map((time) => (time === undefined ? undefined : storedTime(time)));
  if (first !== undefined && end !== undefined && end <= first) {
    throw new EngraphError(
      'validation',
      `the search is from ${from} until ${until}, which is no time at all; let until be later`,
    );
  }
  const began: Filter = end === undefined ? [] : [{ field: 'validFrom', below: end }];
  if (first === undefined) return began;
  const afterFirst = new Date(Date.parse(first) + 1).toISOString();
  return [
    ...(end === undefined ? [{ field: 'validFrom' as const, absent: false }] : began),
    {
      any: [
        { field: 'form', noneOf: ['turn'] },
        { field: 'validFrom', from: first },
      ],
    },
    {
      any: [
        { field: 'form', anyOf: ['turn'] },
        { field: 'validTo', absent: true },
        { field: 'validTo', from: afterFirst },
      ],
    },
  ];
}
