import { EngraphError } from './failure.js';

/** Seconds since 1970 stay below this until the year 5138; a larger number is in milliseconds. */
const FIRST_MILLISECONDS = 1e11;

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

const CLOCK = String.raw`(?<hour>\d{1,2}):(?<minute>\d{2})(?::(?<second>\d{2})(?:[.,](?<fraction>\d{1,9}))?)?`;
const ZONE = String.raw`\s*(?<zone>[Zz]|[+-]\d{2}(?::?\d{2})?)?`;

/** The spellings that people send, by what names their parts. */
const SHAPES: readonly RegExp[] = [
  // 2024-03-10T12:00:00Z, 2024-03-10 13:00+01:00, 2024-03-10
  new RegExp(String.raw`^(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})(?:[Tt\s]+${CLOCK}${ZONE})?$`, 'u'),
  // 2024/03/10 (Sun) 12:00
  new RegExp(String.raw`^(?<year>\d{4})/(?<month>\d{1,2})/(?<day>\d{1,2})(?:\s*\(\p{L}+\))?(?:\s+${CLOCK}${ZONE})?$`, 'u'),
  // 1:56 pm on 8 May, 2023
  new RegExp(String.raw`^${CLOCK}\s*(?<half>[ap]m)\s+on\s+(?<day>\d{1,2})\s+(?<name>\p{L}+),?\s+(?<year>\d{4})$`, 'iu'),
];

/**
 * When something was said or happened, as ISO 8601 in UTC with milliseconds. Takes a Date, seconds or milliseconds since 1970
 * (as a number or in digits), ISO 8601, `2024/03/10 (Sun) 12:00` and `1:56 pm on 8 May, 2023`. What names no zone of its own is
 * a time of the clock in `zone` (an IANA name); the machine's own zone plays no part. Fails with `bad_timestamp`, quoting the
 * value: an impossible date is refused, not moved.
 */
export function eventTime(value: unknown, zone: string): string {
  if (value instanceof Date) return isoOf(value.getTime(), value);
  if (typeof value === 'number') return isoOf(Math.abs(value) < FIRST_MILLISECONDS ? value * 1000 : value, value);
  if (typeof value !== 'string') throw bad(value);
  const text = value.trim();
  if (/^-?\d{5,16}(?:\.\d+)?$/u.test(text)) return eventTime(Number(text), zone);
  const parts = SHAPES.map((shape) => shape.exec(text)?.groups).find((groups) => groups !== undefined);
  if (parts === undefined) throw bad(value);
  const clock = clockOf(parts);
  if (clock === undefined) throw bad(value);
  const named = parts['zone'];
  return isoOf(named === undefined ? inZone(clock, zone) : clock - offsetOf(named), value);
}

/** Whether this runtime knows the zone by this name. */
export function isTimeZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: zone }).resolvedOptions().timeZone !== '';
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** The parts as milliseconds of a clock that stands at UTC; undefined where there is no such day or hour. */
function clockOf(parts: Readonly<Record<string, string | undefined>>): number | undefined {
  const number = (name: string): number => Number(parts[name] ?? 0);
  const month = parts['name'] === undefined ? number('month') : MONTHS.indexOf(parts['name'].slice(0, 3).toLowerCase()) + 1;
  const [year, day, minute, second] = [number('year'), number('day'), number('minute'), number('second')];
  const hour =
    parts['half'] === undefined ? number('hour') : (number('hour') % 12) + (parts['half'].toLowerCase() === 'pm' ? 12 : 0);
  const milliseconds = Number((parts['fraction'] ?? '').padEnd(3, '0').slice(0, 3));
  if (month < 1 || month > 12 || hour > 23 || minute > 59 || second > 59) return undefined;
  if (parts['half'] !== undefined && (number('hour') < 1 || number('hour') > 12)) return undefined;
  const midnight = new Date(0);
  midnight.setUTCFullYear(year, month - 1, day);
  if (midnight.getUTCMonth() !== month - 1 || midnight.getUTCDate() !== day) return undefined;
  return midnight.getTime() + ((hour * 60 + minute) * 60 + second) * 1000 + milliseconds;
}

function offsetOf(zone: string): number {
  if (/^z$/iu.test(zone)) return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3).replace(':', '') || 0);
  return (zone.startsWith('-') ? -1 : 1) * minutes * 60_000;
}

/** The instant at which a clock in the zone shows this; twice, since the offset is that of the instant, not of the clock's face. */
function inZone(clock: number, zone: string): number {
  const first = clock - offsetAt(clock, zone);
  return clock - offsetAt(first, zone);
}

function offsetAt(instant: number, zone: string): number {
  if (zone === 'UTC') return 0;
  const format = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone: zone, hourCycle: 'h23', era: 'short' },
    ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' },
  });
  const parts = Object.fromEntries(format.formatToParts(new Date(instant)).map(({ type, value }) => [type, value]));
  const face = clockOf({ ...parts, year: parts['year'] });
  return (face ?? instant) - Math.floor(instant / 1000) * 1000;
}

function isoOf(milliseconds: number, value: unknown): string {
  const date = new Date(Math.round(milliseconds));
  if (!Number.isFinite(date.getTime()) || date.getUTCFullYear() < 1 || date.getUTCFullYear() > 9999) throw bad(value);
  return date.toISOString();
}

function bad(value: unknown): EngraphError {
  const quoted =
    typeof value === 'string'
      ? JSON.stringify(value.slice(0, 64))
      : value instanceof Date
        ? 'an invalid Date'
        : typeof value === 'number'
          ? String(value)
          : JSON.stringify(value)?.slice(0, 64);
  return new EngraphError(
    'bad_timestamp',
    `${quoted} is no time: give ISO 8601 (2024-03-10T12:00:00Z), or seconds or milliseconds since 1970`,
    { details: { value: quoted } },
  );
}
