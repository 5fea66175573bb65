/** Days and months are counted in UTC, weeks from Monday. */
const DAY_MS = 86_400_000;

const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
/** First months, counted from 0, of the seasons of the northern half, three months each. */
const SEASONS: Readonly<Record<string, number>> = { spring: 2, summer: 5, autumn: 8, fall: 8, winter: 11 };
const NUMBERS: Readonly<Record<string, number>> = {
  ...{ a: 1, an: 1, one: 1, two: 2, three: 3, four: 4, five: 5, six: 6, seven: 7, eight: 8, nine: 9, ten: 10, eleven: 11 },
  ...{ twelve: 12, 'a couple of': 2, 'couple of': 2 },
};

// `may` in lower case is a verb far more often than a month.
const MONTH =
  '(?<month>[Jj]an(?:uary)?|[Ff]eb(?:ruary)?|[Mm]ar(?:ch)?|[Aa]pr(?:il)?|May|[Jj]une?|[Jj]uly?|[Aa]ug(?:ust)?|[Ss]ept?(?:ember)?|[Oo]ct(?:ober)?|[Nn]ov(?:ember)?|[Dd]ec(?:ember)?)\\b\\.?';
const YEAR = '(?<year>(?:19|20)\\d\\d)';
const DAY = '(?<day>[1-9]|[12]\\d|3[01])(?:st|nd|rd|th)?(?!\\d)';
const COUNT = `(?<count>\\d{1,3}|${Object.keys(NUMBERS)
  .sort((a, b) => b.length - a.length)
  .join('|')})`;
const UNIT = '(?<unit>day|week|fortnight|month|year)s?';
const WHICH = '(?<which>last|past|previous|this|next|coming)';

type Groups = Readonly<Record<string, string | undefined>>;
type Resolve = (found: Groups, today: number | undefined) => number | undefined;

/** What a time may look like and when it begins; `today` is the day on which it was said. */
const EXPRESSIONS: readonly (readonly [RegExp, Resolve])[] = [
  [
    /(?<![\d-])(?<date>\d{4}[-/]\d\d[-/]\d\d)(?:[T ](?<time>\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(?<zone>Z|[+-]\d\d:\d\d)?)?(?!\d)/u,
    ({ date = '', time = '00:00', zone = 'Z' }) => {
      const iso = date.replaceAll('/', '-');
      const [year, month, day] = iso.split('-').map(Number);
      return dateOf(year, (month ?? 0) - 1, day) === undefined ? undefined : real(Date.parse(`${iso}T${time}${zone}`));
    },
  ],
  [
    /(?<![\d-])(?<year>\d{4})-(?<number>0[1-9]|1[0-2])(?![\d-])/u,
    ({ year, number }) => dateOf(Number(year), Number(number) - 1, 1),
  ],
  [new RegExp(`\\b${DAY}(?: of)? ${MONTH},?(?: ${YEAR})?`, 'u'), dayOfMonth],
  [new RegExp(`\\b${MONTH} ${DAY}(?:,? ${YEAR})?`, 'u'), dayOfMonth],
  [new RegExp(`\\b${MONTH},?(?: of)? ${YEAR}`, 'u'), ({ month, year }) => dateOf(Number(year), monthOf(month), 1)],
  [
    new RegExp(`\\b(?<which>[Ll]ast|[Tt]his|[Nn]ext) ${MONTH}`, 'u'),
    ({ which, month }, today) => periodOf(which, monthOf(month), 1, today),
  ],
  [
    new RegExp(`\\b(?:[Ii]n|[Ss]ince|[Dd]uring|[Ee]arly|[Ll]ate|[Mm]id) ${MONTH}`, 'u'),
    ({ month }, today) => nearest(monthOf(month), 1, today),
  ],
  [/\bday before yesterday\b/iu, (_, today) => moved(today, -2)],
  [/\bday after tomorrow\b/iu, (_, today) => moved(today, 2)],
  [/\b(?:yesterday|last night)\b/iu, (_, today) => moved(today, -1)],
  [/\b(?:today|tonight|this (?:morning|afternoon|evening)|right now|just now)\b/iu, (_, today) => today],
  [/\btomorrow\b/iu, (_, today) => moved(today, 1)],
  [new RegExp(`\\b${COUNT} ${UNIT} (?:ago|back)\\b`, 'iu'), ({ count, unit }, today) => by(today, -numberOf(count), unit)],
  [new RegExp(`\\bin ${COUNT} ${UNIT}\\b`, 'iu'), ({ count, unit }, today) => by(today, numberOf(count), unit)],
  [new RegExp(`\\b${COUNT} ${UNIT} from (?:now|today)\\b`, 'iu'), ({ count, unit }, today) => by(today, numberOf(count), unit)],
  [
    new RegExp(`\\b${WHICH} (?<weekday>${WEEKDAYS.join('|')})\\b`, 'iu'),
    ({ which, weekday }, today) => weekdayOf(which, weekday, today),
  ],
  [new RegExp(`\\b${WHICH} (?<unit>weekend|week|month|year)\\b`, 'iu'), ({ which, unit }, today) => unitOf(which, unit, today)],
  [
    new RegExp(`\\b${WHICH} (?<season>${Object.keys(SEASONS).join('|')})\\b`, 'iu'),
    ({ which, season = '' }, today) => periodOf(which, SEASONS[season.toLowerCase()] ?? 0, 3, today),
  ],
  [
    new RegExp(`\\b(?:in|since|during)(?: early| late)? ${YEAR}\\b|^\\s*(?<alone>(?:19|20)\\d\\d)\\s*$`, 'iu'),
    ({ year, alone }) => dateOf(Number(year ?? alone), 0, 1),
  ],
];

/** Counted from another event, not from the day on which it is said. */
const ELSEWHERE = /\b(?<!\bday )(?:before|after|until|till)\b/iu;

/** The first words of a text that say when, as `factTime` reads them ("last week", "5 May", "two days ago"); undefined where none do. */
export function timeWords(text: string): string | undefined {
  return first(text)?.[0][0];
}

/**
 * When something happened or will happen: the beginning, in UTC, of the time that these words name, read against the time `at`
 * which they were said (ISO 8601). A day without a year is the nearest such day; weeks begin on Monday. Returns ISO 8601 with
 * milliseconds; undefined where the words name no time, one counted from another event ("the week before the trip"), or a
 * relative one and `at` is not known. No guess: "on Friday" may lie on either side.
 */
export function factTime(words: string, at?: string): string | undefined {
  if (ELSEWHERE.test(words)) return undefined;
  const found = first(words);
  const said = at === undefined ? undefined : real(Date.parse(at));
  const time = found?.[1](found[0].groups ?? {}, said === undefined ? undefined : said - (said % DAY_MS));
  return time === undefined ? undefined : new Date(time).toISOString();
}

/** The expression that begins first; of those that begin at the same place, the longest. */
function first(text: string): readonly [RegExpExecArray, Resolve] | undefined {
  let best: readonly [RegExpExecArray, Resolve] | undefined;
  for (const [expression, resolve] of EXPRESSIONS) {
    const match = expression.exec(text);
    if (match === null) continue;
    const before = best?.[0];
    if (!before || match.index < before.index || (match.index === before.index && match[0].length > before[0].length))
      best = [match, resolve];
  }
  return best;
}

const real = (time: number): number | undefined => (Number.isNaN(time) ? undefined : time);

/** Midnight of a day; undefined for one that no calendar has. */
function dateOf(year = Number.NaN, month = Number.NaN, day = Number.NaN): number | undefined {
  const date = new Date(Date.UTC(year, month, day));
  return date.getUTCMonth() === month && date.getUTCDate() === day ? date.getTime() : undefined;
}

const monthOf = (name = ''): number => MONTHS.indexOf(name.slice(0, 3).toLowerCase());
const numberOf = (word = ''): number => NUMBERS[word.toLowerCase()] ?? Number(word);

function dayOfMonth({ day, month, year }: Groups, today: number | undefined): number | undefined {
  return year === undefined ? nearest(monthOf(month), Number(day), today) : dateOf(Number(year), monthOf(month), Number(day));
}

/** The day of this name that is nearest to today, of the year before, this one and the next. */
function nearest(month: number, day: number, today: number | undefined): number | undefined {
  if (today === undefined) return undefined;
  const year = new Date(today).getUTCFullYear();
  const days = [year - 1, year, year + 1].flatMap((one) => dateOf(one, month, day) ?? []);
  return days.sort((a, b) => Math.abs(a - today) - Math.abs(b - today))[0];
}

const moved = (today: number | undefined, days: number): number | undefined =>
  today === undefined ? undefined : today + days * DAY_MS;

/** So many units away, at the month's last day where the month is shorter. */
function by(today: number | undefined, count: number, unit = ''): number | undefined {
  if (today === undefined) return undefined;
  const days = { day: 1, week: 7, fortnight: 14 }[unit.toLowerCase()];
  if (days !== undefined) return moved(today, count * days);
  const date = new Date(today);
  const month = date.getUTCMonth() + count * (unit.toLowerCase() === 'year' ? 12 : 1);
  const last = new Date(Date.UTC(date.getUTCFullYear(), month + 1, 0)).getUTCDate();
  return Date.UTC(date.getUTCFullYear(), month, Math.min(date.getUTCDate(), last));
}

/** -1 for what is over, 1 for what is to come, 0 for what is now. */
function side(which = ''): number {
  const word = which.toLowerCase();
  return word === 'this' ? 0 : word === 'next' || word === 'coming' ? 1 : -1;
}

/** The last one before today, the first one after it, or (this) the first one from today on. */
function weekdayOf(which: string | undefined, weekday = '', today: number | undefined): number | undefined {
  if (today === undefined) return undefined;
  const ahead = (WEEKDAYS.indexOf(weekday.toLowerCase()) - weekdayNumber(today) + 7) % 7;
  const direction = side(which);
  return moved(today, direction < 0 ? (ahead === 0 ? -7 : ahead - 7) : direction > 0 && ahead === 0 ? 7 : ahead);
}

/** 0 on Monday. */
const weekdayNumber = (day: number): number => (new Date(day).getUTCDay() + 6) % 7;

function unitOf(which: string | undefined, unit = '', today: number | undefined): number | undefined {
  if (today === undefined) return undefined;
  const direction = side(which);
  const date = new Date(today);
  switch (unit.toLowerCase()) {
    case 'year':
      return Date.UTC(date.getUTCFullYear() + direction, 0, 1);
    case 'month':
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + direction, 1);
    default:
      return moved(today, 7 * direction - weekdayNumber(today) + (unit.toLowerCase() === 'weekend' ? 5 : 0));
  }
}

/** A month or season: the last one that is over, the next one that begins, or the one that begins this year. */
function periodOf(which: string | undefined, month: number, months: number, today: number | undefined): number | undefined {
  if (today === undefined) return undefined;
  const year = new Date(today).getUTCFullYear();
  const begin = (one: number): number => Date.UTC(one, month, 1);
  const direction = side(which);
  if (direction === 0) return begin(year);
  if (direction > 0) return begin(year) > today ? begin(year) : begin(year + 1);
  return [year, year - 1, year - 2]
    .map(begin)
    .find((start) => Date.UTC(new Date(start).getUTCFullYear(), month + months, 1) <= today);
}
