import { timeWords } from '../domain/fact-time.js';
import { STOP_WORDS } from '../domain/words.js';
import type { FactReply, FactsInput, FactsReply, FactsSection, FactsTurn, TopicReply } from '../prompts/inputs-facts.js';
import { contentWords } from './rules-question.js';
import { covered, passagesOf } from './rules-text.js';

/** A sentence longer than this is no single statement. */
const LONGEST = 400;

/** Content words below which a sentence ("I see.") says nothing lasting. */
const FEWEST_WORDS = 2;

const TITLE_WORDS = 3;

// `i` alone is too often a letter, and `US` a country.
const FIRST_PERSON = /\bI\b|\b(?:[Mm]y|[Mm]ine|[Ww]e|[Oo]ur|[Oo]urs)\b/u;
const SMALL_TALK = /^(?:hi|hello|hey|thanks|thank you|bye|good(?:bye| morning| evening| night)|wow|great|sorry|congrat\w*)\b/iu;

interface Sentence {
  readonly turn: FactsTurn;
  readonly text: string;
}

/**
 * Facts without a language model, and so with nothing invented: what somebody states of themselves ("I", "my", "we") becomes a
 * fact in their own words under their name, from the turn that says it. Questions and small talk are left out; all else is still found
 * by its turn. A section's title is its most frequent words, its summary the sentence that has most of them.
 */
export function factsOf({ sections }: FactsInput): FactsReply {
  return { topics: sections.map(topicOf) };
}

function topicOf(section: FactsSection): TopicReply {
  const sentences = section.turns.flatMap(sentencesOf);
  const words = frequentWords(sentences.map(({ text }) => text).join('\n'));
  const wanted = words.map(({ stem }) => stem);
  const [telling] = [...sentences].sort((a, b) => covered(wanted, b.text) - covered(wanted, a.text));
  return {
    section: section.n,
    title: words.length === 0 ? 'Small talk' : words.map(({ word }) => word).join(', '),
    summary: telling === undefined || words.length === 0 ? '' : said(telling),
    facts: sentences.filter(isStatement).map((sentence): FactReply => {
      const { turn, text } = sentence;
      const saidBy = turn.role === 'user' ? 'user' : 'assistant';
      return { turn: turn.n, saidBy, text: said(sentence), when: timeWords(text) ?? null };
    }),
  };
}

const sentencesOf = (turn: FactsTurn): Sentence[] =>
  passagesOf(turn.text)
    .filter(({ isHeading, text }) => !isHeading && text.length <= LONGEST)
    .map(({ text }) => ({ turn, text }));

function isStatement({ turn, text }: Sentence): boolean {
  if (turn.role !== 'user' && turn.role !== 'assistant') return false;
  return (
    FIRST_PERSON.test(text) && !/\?["'”’)\s]*$/u.test(text) && !SMALL_TALK.test(text) && contentWords(text).length >= FEWEST_WORDS
  );
}

const said = ({ turn, text }: Sentence): string => `${turn.speaker ?? `The ${turn.role}`} said: ${text}`;

/** The most frequent content words, as first written, in the order in which they first come; of equals the earlier ones. */
function frequentWords(text: string): { readonly word: string; readonly stem: string }[] {
  const counts = new Map<string, { word: string; count: number }>();
  for (const [word] of text.matchAll(/[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu)) {
    const stem = contentWords(word)[0];
    // "I'm" and "very" alone would count as words, since a text of nothing else is still found by them.
    if (stem === undefined || /['’]/u.test(word) || STOP_WORDS.has(word.toLowerCase())) continue;
    const known = counts.get(stem);
    if (known === undefined) counts.set(stem, { word, count: 1 });
    else known.count += 1;
  }
  const best = new Set(
    [...counts]
      .sort(([, a], [, b]) => b.count - a.count)
      .slice(0, TITLE_WORDS)
      .map(([stem]) => stem),
  );
  return [...counts].filter(([stem]) => best.has(stem)).map(([stem, { word }]) => ({ word, stem }));
}
