import stem from 'wink-porter2-stemmer';

/** English words that say nothing about what a text is about. Dropped from texts and queries alike, see `wordsOf`. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a about after all also am an and any are as at be because been before being but by can could did do does doing for from ' +
    'had has have having he her him his how i if in into is it its just me my no not of on or our out over she should so some ' +
    'such than that the their them then there these they this those to too up us very was we were what when where which who ' +
    'why will with would you your s t'
  ).split(' '),
);

/** Longer words are cut here, in code points: nobody asks for more of a base64 string, and indexes have limits. */
const LONGEST_WORD = 64;

const CJK = '\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}\\u30fc';
const LETTER = `(?:(?![${CJK}])[\\p{L}\\p{M}\\p{N}])`;
const WORD = `${LETTER}(?:${LETTER}|[\\u200c\\u200d])*`;
const COMPOUND = `${WORD}(?:(?:[.'-]|_+)${WORD})*`;
const PICTURE = '\\p{Extended_Pictographic}(?:\\ufe0f|\\p{EMod})*';
const EMOJI = `\\p{RI}\\p{RI}|${PICTURE}(?:\\u200d${PICTURE})*`;
const PIECES = new RegExp(`(?<cjk>[${CJK}]+)|(?<compound>${COMPOUND})|(?<emoji>${EMOJI})`, 'gu');

const CAMEL_BOUNDARY = /(?<=\p{Ll}\p{N}*)(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;

// A fixed locale: the machine's own must not decide what an index holds.
const SEGMENTER = new Intl.Segmenter('en', { granularity: 'word' });

/**
 * The words by which a text is found, in its order and with repeats: NFKC, lower case, English ones stemmed (Porter2). A
 * compound (`express.static`, `kebab-case`, `snake_case`, `camelCase`, `v1.2.3`, `0.25`) gives itself and its parts; a run of
 * Han, Kana or Hangul gives the words that `Intl.Segmenter` sees and its overlapping pairs of characters; an emoji is a word.
 * `STOP_WORDS` are left out unless the text has no other words. Never fails, whatever the string.
 */
export function wordsOf(text: string): string[] {
  const all: Word[] = [];
  for (const { groups } of text.toWellFormed().normalize('NFKC').replaceAll('\u2019', "'").matchAll(PIECES)) {
    if (groups?.['cjk'] !== undefined) all.push(...cjkWords(groups['cjk']));
    else if (groups?.['compound'] !== undefined) all.push(...compoundWords(groups['compound']));
    else if (groups?.['emoji'] !== undefined) all.push({ word: groups['emoji'].replaceAll('\ufe0f', ''), stop: false });
  }
  const telling = all.filter(({ stop }) => !stop);
  return (telling.length > 0 ? telling : all).map(({ word }) => cut(word));
}

/**
 * How often each word of a text occurs: the `terms` of a point. Without a prototype, so that looking up `constructor` in a
 * text that does not have it gives undefined.
 */
export function countWords(text: string): Record<string, number> {
  const counts = Object.create(null) as Record<string, number>;
  for (const word of wordsOf(text)) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}

interface Word {
  readonly word: string;
  readonly stop: boolean;
}

function compoundWords(compound: string): Word[] {
  const whole = compound.replace(/'s$/iu, '');
  const words = simpleWords(whole);
  const number = /^v(\d.*)$/iu.exec(whole)?.[1];
  if (number !== undefined) words.push(...simpleWords(number));
  const parts = (number ?? whole).split(/[._'-]+/u);
  for (const part of parts) {
    if (parts.length > 1) words.push(...simpleWords(part));
    // A stop word is never taken apart, or `aBout` would be found where `about` is not.
    if (STOP_WORDS.has(part.toLowerCase())) continue;
    const humps = part.split(CAMEL_BOUNDARY);
    if (humps.length > 1) words.push(...humps.flatMap(simpleWords));
  }
  return words;
}

function simpleWords(text: string): Word[] {
  const lower = text.replace(/[\u200c\u200d]/gu, '').toLowerCase();
  if (/^[a-z]+$/u.test(lower)) return [{ word: stem(lower), stop: STOP_WORDS.has(lower) }];
  // ASCII stays whole; other scripts may write several words without a space (Thai, Khmer, Burmese).
  // eslint-disable-next-line no-control-regex -- the ASCII range starts there
  if (/^[\u0000-\u007f]*$/u.test(lower)) return lower === '' ? [] : [{ word: lower, stop: false }];
  return [...SEGMENTER.segment(lower)]
    .filter(({ isWordLike }) => isWordLike)
    .map(({ segment }) => ({ word: segment, stop: false }));
}

function cjkWords(run: string): Word[] {
  const characters = [...run];
  const pairs = characters.slice(1).map((character, i) => `${characters[i]}${character}`);
  // A word of two characters is a pair already, and must not count twice.
  const words = [...SEGMENTER.segment(run)].map(({ segment }) => segment).filter((segment) => [...segment].length !== 2);
  return [...words, ...pairs].map((word) => ({ word, stop: false }));
}

function cut(word: string): string {
  return word.length <= LONGEST_WORD ? word : [...word].slice(0, LONGEST_WORD).join('');
}
