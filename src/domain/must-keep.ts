import { STOP_WORDS } from './words.js';

const set = (words: string): ReadonlySet<string> => new Set(words.split(' '));

/** Words that turn a statement round, and those that name an exception from it. English, and the commonest of its neighbours. */
const NEGATIONS = set(
  'no not never none nobody nothing nowhere neither nor cannot without except excepting unless hardly barely scarcely rarely ' +
    'seldom dont cant wont isnt arent wasnt werent doesnt didnt havent hasnt hadnt couldnt shouldnt wouldnt aint non ' +
    'nicht kein keine keinen keinem keiner nie niemals ohne außer pas jamais sans sauf aucun aucune nunca sin excepto ningún',
);
const CJK_NEGATION = /[不没沒無无未非勿莫別别]|ない|ません|なかった/u;

const NUMBER_WORDS = set(
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen ' +
    'nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred hundreds thousand thousands million millions billion ' +
    'dozen dozens half quarter once twice thrice double triple first second third fourth fifth sixth seventh eighth ninth tenth',
);
const CJK_NUMBER = /[〇零一二三四五六七八九十百千万萬億亿両两]/u;
const CJK_NUMERAL = new RegExp(`^${CJK_NUMBER.source}+$`, 'u');

/** Capital letter first: `may` and `march` are verbs. */
const MONTHS = set(
  'January February March April May June July August September October November December Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct ' +
    'Nov Dec',
);
const DAYS = set(
  'monday tuesday wednesday thursday friday saturday sunday today yesterday tomorrow tonight midnight noon weekend january february ' +
    'april june july august september october november december christmas easter halloween thanksgiving',
);
const PERIODS = set(
  'second minute hour day night morning afternoon evening week weekend month year decade century summer winter spring fall autumn',
);
const SHIFTS = set('last next past previous coming following this every each');

/** Words with which sentences open though they name nobody. Another capitalised word is taken for a name, wherever it stands. */
const OPENERS = set(
  'a about absolutely actually after again agreed ah aha all almost alright also although always amazing an and another any anyway are as ' +
    'at awesome aw aww awww be beautiful because been before being believe best both but by bye can check come congrats congratulations ' +
    'cool could crazy definitely did do does doing each either else enjoy even ever every everyone everything exactly excellent fantastic ' +
    'feel finally for from fun funny get getting give glad go going good got gotcha great had haha happy has have having he hello help her here ' +
    'hers hey hi him his hmm hope hopefully how however i if im in incredible indeed interesting is it its ive just keep know last lately ' +
    'let lets like lol look looking looks love lovely luckily make many maybe me mine more most much my nature next nice now of off oh ok okay ' +
    'omg on once only or other our out over perhaps plus please pretty probably quite really recently remember right sadly same say see seeing ' +
    'seems she should since so some someone something sometimes soon sorry sounds still stay such super sure take taking talk tell thank thanks ' +
    'that thats the their them then there these they thing think this those though thx to too totally true trust try trying understood unfortunately ' +
    'until up us usually very wait was way we well were what whatever when where whether which while who whoa whole whose why will wish with ' +
    'wonderful would wow ya yay yeah yep yes yet you your youre yours yup',
);

const IDENTIFIER =
  /[\p{L}\p{N}][_@#\\]|[@#_]\p{L}|:\/\/|\p{L}[./]\p{L}{2}|^\p{Lu}[\p{Lu}\p{N}&.-]+$|\p{Ll}\p{Lu}|^\/\S|--?\p{L}+=/u;
const QUOTATIONS = [
  /"[^"]+"/gu,
  /“[^”]+”/gu,
  /„[^“”]+[“”]/gu,
  /«[^»]+»/gu,
  /「[^」]+」/gu,
  /『[^』]+』/gu,
  /`[^`]+`/gu,
  /(?<=^|[\s(])['‘](?=\S)[^'‘’\n]{0,200}(?:['’]\p{L}[^'‘’\n]{0,200}){0,4}['’](?=$|[\s.,;:!?)])/gu,
];

/**
 * Which of a text's units (`unitsOf`) stay at any share: negations, numbers with what they count, identifiers, dates, closed
 * quotations and names. Case decides where only it tells (May, NOT). What is kept in doubt costs a word; what is lost in
 * doubt turns a statement round.
 */
export function mustKeep(units: readonly { readonly before: string; readonly text: string }[]): boolean[] {
  const bare = units.map(({ text }) => text.replace(/^[^\p{L}\p{N}#@$€£¥/-]+|[^\p{L}\p{N}%°$€£¥+]+$/gu, ''));
  const lower = bare.map((word) => word.toLowerCase().replaceAll('’', "'"));
  const keep = bare.map((word, at) => saysForItself(word, lower[at] as string) || isName(units, bare, at));
  keepNeighbours(units, lower, keep);
  keepQuoted(units, keep);
  return keep;
}

function saysForItself(word: string, lower: string): boolean {
  return (
    isNegation(lower) ||
    CJK_NEGATION.test(word) ||
    isNumber(lower) ||
    CJK_NUMBER.test(word) ||
    IDENTIFIER.test(word) ||
    MONTHS.has(word) ||
    DAYS.has(lower.replace(/'?s$/u, '')) ||
    /^[$€£¥%°]|[%°€£¥]$/u.test(word)
  );
}

const isNegation = (lower: string): boolean =>
  /n't$/u.test(lower) || lower.split('-').some((part) => NEGATIONS.has(part.replaceAll("'", '')));
const isNumber = (lower: string): boolean => /\p{N}/u.test(lower) || lower.split('-').some((part) => NUMBER_WORDS.has(part));

function isName(units: readonly { readonly text: string }[], bare: readonly string[], at: number): boolean {
  const word = (bare[at] as string).replace(/['’](?:s|m|ve|d|ll|re)$/iu, '');
  if (!/^\p{Lu}/u.test(word) || word === 'I') return false;
  const before = units[at - 1]?.text;
  const opens = before === undefined || /[.!?…:;"“]['")\]]*$/u.test(before) || !/[\p{L}\p{N}]/u.test(before);
  return !opens || !OPENERS.has(word.toLowerCase());
}

/** What a word of these is nothing without: `0.25 mg`, `not allergic`, `two weeks ago`, `last week`. */
function keepNeighbours(units: readonly { readonly text: string }[], lower: readonly string[], keep: boolean[]): void {
  lower.forEach((word, at) => {
    const next = lower[at + 1];
    if (next === undefined) return;
    const closed = /[.,;:!?)\]]$/u.test(units[at]?.text ?? '');
    const counts = (isNumber(word) && !/\p{L}\p{N}|\p{N}-\p{L}/u.test(word)) || CJK_NUMERAL.test(word);
    if (!closed && (counts || isNegation(word)) && !STOP_WORDS.has(next)) keep[at + 1] = true;
    if (SHIFTS.has(word) && PERIODS.has(next.replace(/s$/u, ''))) keep[at] = keep[at + 1] = true;
    if (next === 'ago' || next === 'later') keep[at] = keep[at + 1] = true;
    if (lower[at + 2] === 'ago') keep[at] = true;
  });
}

function keepQuoted(units: readonly { readonly before: string; readonly text: string }[], keep: boolean[]): void {
  const ends: number[] = [];
  let text = '';
  for (const unit of units) {
    text += unit.before + unit.text;
    ends.push(text.length);
  }
  for (const pattern of QUOTATIONS) {
    let at = 0;
    for (const { 0: quoted, index } of text.matchAll(pattern)) {
      while ((ends[at] ?? Infinity) <= index) at += 1;
      const last = index + quoted.length;
      for (; at < units.length && (ends[at] as number) - (units[at]?.text.length ?? 0) < last; at++) keep[at] = true;
      at = Math.max(0, at - 1); // one unit may hold the end of a quotation and the start of the next
    }
  }
}
