import { EngraphError } from '../domain/failure.js';
import type { Filter } from '../ports/vector-store.js';

/**
 * What was the newest at a time: `recordedAt <= asOf < retiredAt` (design.md section 2); without a time, what is not retired.
 * Times are kept in milliseconds, so "up to" is "below the next millisecond". Fails with `bad_timestamp`.
 */
export function aliveAt(asOf?: string): Filter {
  if (asOf === undefined) return [{ field: 'retiredAt', absent: true }];
  const next = afterTime(asOf);
  return [
    { field: 'recordedAt', below: next },
    {
      any: [
        { field: 'retiredAt', absent: true },
        { field: 'retiredAt', from: next },
      ],
    },
  ];
}

/** A time as the store keeps it: ISO 8601 in UTC with milliseconds, which sorts as text. Fails with `bad_timestamp`. */
export const storedTime = (time: string): string => new Date(millisecondsOf(time)).toISOString();

/** The next millisecond, below which everything up to the time is. Fails with `bad_timestamp`. */
export const afterTime = (time: string): string => new Date(millisecondsOf(time) + 1).toISOString();

const ISO = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/u;

function millisecondsOf(time: string): number {
  const milliseconds = ISO.test(time) ? Date.parse(time) : Number.NaN;
  if (Number.isNaN(milliseconds)) {
    throw new EngraphError('bad_timestamp', `${JSON.stringify(time)} is no time; write it as 2026-11-30T12:00:00Z`);
  }
  return milliseconds;
}
