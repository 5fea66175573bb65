/** What kind of thing an answer is, read from the question's own words. */
export type AnswerType = 'version' | 'licence' | 'person' | 'url' | 'email' | 'number' | 'date' | 'code' | 'yes_no' | 'sentence';

/** A span of a passage that could be the answer. */
export interface Found {
  readonly value: string;
  /** How surely it is of the type that was asked for, 0 to 1, by its form alone. */
  readonly strength: number;
}

type Finder = (text: string) => Found[];

const LICENCES: readonly (readonly [RegExp, string?])[] = [
  [/\bApache(?:[ -]License)?,?[ -](?:Version |v)?2(?:\.0)?\b/u, 'Apache-2.0'],
  [/\b(?:BSD[ -]?3(?:[ -]Clause)?|(?:3|three)[ -]clause BSD)\b/iu, 'BSD-3-Clause'],
  [/\b(?:BSD[ -]?2(?:[ -]Clause)?|(?:2|two)[ -]clause BSD)\b/iu, 'BSD-2-Clause'],
  [/\b0BSD\b/u],
  [/\bBSD\b/u],
  [/\bMIT(?:-0)?\b/u],
  [/\bISC\b/u],
  [/\b[AL]?GPL(?:[ -]?v?[23](?:\.\d)?)?(?:-only|-or-later)?\b/u],
  [/\bMPL[ -]?2(?:\.0)?\b|\bMozilla Public License\b/u, 'MPL-2.0'],
  [/\bCC0(?:-1\.0)?\b/u],
  [/\bCC[ -]BY(?:-SA)?(?:[ -]\d\.\d)?\b/u],
  [/\bUnlicen[cs]e\b/u, 'Unlicense'],
  [/\bBlueOak-1\.0\.0\b/u],
  [/\bPython-2\.0\b/u],
  [/\bEPL-?\d\.\d\b/u],
  [/\bZlib\b/u],
  [/\bWTFPL\b/u],
];

const PERSON = String.raw`\p{Lu}[\p{L}'’-]+(?:\s+(?:\p{Lu}\.|de|van|von|der|den|la|le|al|bin))*(?:\s+\p{Lu}[\p{L}'’-]+){1,2}`;
const CREDITED = new RegExp(
  String.raw`(?:\b(?:by|from|authors?:?|maintainers?:?|creators?:?)\s+|(?:©|\(c\)|copyright)(?:\s*(?:©|\(c\)|[\d,\s–-]+(?:present)?))*\s*)@?(${PERSON})`,
  'giu',
);
/** A line that is a name and nothing else, as lists of people have it. */
const LISTED_PERSON = new RegExp(String.raw`^\s*(?:[-*]\s+)?(${PERSON})(?:\s*[<(].*)?$`, 'gmu');
const NOT_PEOPLE =
  /\b(?:License|Licence|Public|Software|Foundation|Inc|Rights|Reserved|Node|Code|Version|The|This|API|Commons|Changelog|Table|Contents|Getting|Started)\b/u;

const FINDERS: Readonly<Partial<Record<AnswerType, Finder>>> = {
  version: (text) => [
    ...matches(text, /(?<![\w.])v?(\d+\.\d+\.\d+(?:-[\da-z.]+)?)(?![\w.]*\w)/giu, 1),
    ...matches(text, /(?<=(?:version|node(?:\.js)?|v|>=?|≥|\^|~)\s*)(\d+(?:\.\d+)?)(?![\w.]*\w)/giu, 0.8),
  ],
  licence: (text) =>
    LICENCES.flatMap(([pattern, name]) =>
      matches(text, new RegExp(pattern, `${pattern.flags}g`), 1).map((found) => ({ ...found, value: name ?? found.value })),
    ),
  person: (text) =>
    [...matches(text, CREDITED, 1).filter(({ value }) => startsAsName(value)), ...matches(text, LISTED_PERSON, 0.5)].filter(
      ({ value }) => !NOT_PEOPLE.test(value),
    ),
  url: (text) => matches(text, /\b(https?:\/\/[^\s<>)\]"'`]+[^\s<>)\]"'`.,;:!?])/gu, 1),
  email: (text) => matches(text, /([\w.+-]+@[\w-]+(?:\.[\w-]+)+)/gu, 1),
  number: (text) => matches(text, /(?<![\w.:/#-])(\d{1,3}(?:[,_ ]\d{3})+|\d+(?:\.\d+)?)(?![\w.:/-]*\w)/gu, 0.6),
  date: (text) => [
    ...matches(text, /\b(\d{4}[-./]\d{2}[-./]\d{2})\b/gu, 1),
    ...matches(
      text,
      /\b((?:\d{1,2}(?:st|nd|rd|th)? )?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.?(?: \d{1,2}(?:st|nd|rd|th)?,?)? \d{4})\b/gu,
      1,
    ),
    ...matches(text, /\b((?:19|20)\d{2})\b/gu, 0.3),
  ],
  code: (text) => [
    ...matches(text, /`([^`\n]+)`/gu, 1),
    ...matches(text, /^\s*(?:\$\s+)?((?:npm|npx|yarn|pnpm|node|pip|git|docker|curl|cargo|go)\s+[^\n#]+)/gmu, 0.9),
    ...matches(text, /(?<![\w`])(--?[a-z][\w-]*|(?:\.{0,2}\/)?(?:[\w.-]+\/)+[\w.-]+)/giu, 0.5),
  ],
};

/** Types whose answers are addresses: looked for in the text as it is, since reading takes addresses out. */
export const isAddress = (type: AnswerType): boolean => type === 'url' || type === 'email';

/** Spans of a text that could answer a question of this type; none for `yes_no` and `sentence`, which whole sentences answer. */
export function findAnswers(type: AnswerType, text: string): Found[] {
  const found = FINDERS[type]?.(text) ?? [];
  const best = new Map<string, Found>();
  for (const one of found) if ((best.get(one.value)?.strength ?? -1) < one.strength) best.set(one.value, one);
  return [...best.values()];
}

function matches(text: string, pattern: RegExp, strength: number): Found[] {
  return [...text.matchAll(pattern)]
    .map((match) => ({ value: (match[1] ?? match[0]).trim(), strength }))
    .filter(({ value }) => value !== '');
}

const startsAsName = (value: string): boolean => /^\p{Lu}/u.test(value);
