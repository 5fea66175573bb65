import { STOP_WORDS } from './words.js';

const TOKEN = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(?:[&+#._'’-]+[\p{L}\p{M}\p{N}]+)*/gu;
const POSSESSIVE = /['’](?:s|m|ve|d|ll|re)$/iu;
const CALENDAR =
  /^(?:mon|tues|wednes|thurs|fri|satur|sun)day$|^(?:january|february|march|april|may|june|july|august|september|october|november|december|christmas|easter)$/u;

/** Words that open sentences and name nobody, beside stop words and what ends like a verb or an adverb. */
const OPENER =
  /(?:ing|ed|ly)$|^(?:according|always|another|dear|everyone|everything|favou?rite|first|great|hello|hi|last|many|most|next|now|one|people|please|someone|something|sometimes|thanks|today|user|users|assistant|well|yes|yesterday)$/u;

/**
 * Names that a text names, in lower case, each once, in its order: words written with a capital that do not only open a
 * sentence, several in a row being one ("door dash"), and identifiers (`v1.2`, `camelCase`, `#42`). Neither days nor months. Of
 * scripts without capitals none. By a rare one two facts about the same thing meet whose words differ (design.md 3.3).
 */
export function entitiesOf(text: string): string[] {
  const found = new Set<string>();
  let run: string[] = [];
  let end = -1;
  const close = (): void => {
    if (run.length > 0) found.add(run.join(' '));
    run = [];
  };
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const word = token.replace(POSSESSIVE, '');
    if (text.slice(end, index) !== ' ') close();
    if (isName(word, text.slice(0, index))) run.push(word.toLowerCase());
    else close();
    // What belongs to somebody is another name: "Nate's Sony".
    end = word === token ? index + token.length : -1;
  }
  close();
  return [...found];
}

function isName(word: string, before: string): boolean {
  const lower = word.toLowerCase();
  if (word.length < 2 || CALENDAR.test(lower)) return false;
  if (/\p{Ll}\p{Lu}|[_#]\p{L}|\p{L}[._-]?\p{N}|\p{N}[._-]?\p{L}{2}/u.test(word))
    return !/^\d+(?:st|nd|rd|th|am|pm|km|mg|kg|ml|cm|mm)$/u.test(lower);
  if (!/^\p{Lu}/u.test(word)) return false;
  const opens = !/[\p{L}\p{N},;)]["'”’)]?\s+["'“‘(]?$/u.test(before);
  return !opens || !(STOP_WORDS.has(lower) || OPENER.test(lower));
}
