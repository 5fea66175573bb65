import { STOP_WORDS, wordsOf } from '../domain/words.js';
import { findAnswers, type AnswerType } from './rules-candidates.js';

export interface Question {
  readonly type: AnswerType;
  /** Names of what is asked about: quoted spans, else identifiers, else capitalised words inside the sentence. */
  readonly subjects: readonly string[];
  /** Stemmed content words of the question without those of its subjects, each once. */
  readonly words: readonly string[];
  /** A word that must stand near the answer: what a version is of, what is counted. Stemmed words. */
  readonly needed: readonly string[];
  /** Which of several answers is meant. */
  readonly extreme?: 'newest' | 'oldest';
}

/** The earliest match in the question names the type, since the words after it qualify it. */
const TYPES: readonly (readonly [AnswerType, RegExp])[] = [
  ['yes_no', /^(?:is|are|was|were|do|does|did|can|could|has|have|will|would|should|may|must)\b/iu],
  ['number', /\bhow (?:many|much|long|large|big|old|fast|often|heavy|high|deep)\b|\b(?:number|amount|size|count|length) of\b/iu],
  ['date', /\bwhen\b|\b(?:which|what) (?:date|day|month|year)\b|\bdate of\b/iu],
  ['email', /\be-?mail(?: address)?\b/iu],
  [
    'url',
    /\b(?:urls?|links?|home ?page|web ?site|web address|repository|where (?:is|are|can|does|do) .*\b(?:hosted|live|found|kept|developed|downloaded?))\b/iu,
  ],
  ['person', /\bwho(?:m|se)?\b|\b(?:authors?|maintainers?|creators?|copyright holders?)\b/iu],
  ['licence', /\blicen[cs](?:e|es|ed|ing)\b|\b(?:on|under) (?:what|which) terms\b|\bterms\b|\bcopyleft\b|\bspdx\b/iu],
  ['version', /\bversions?\b|\breleases?\b/iu],
  [
    'code',
    /\b(?:which|what|name the) (?:\w+ )?(?:command|function|method|option|flag|file|folder|directory|path|class|module|package|parameter|argument|variable|property|event|setting|key|script)\b|\bhow (?:do|can|does|to) .*\b(?:install|import|call|run|invoke)/iu,
  ],
];

const LEAD_IN =
  /^(?:please|hi|hello|hey|(?:can|could|would) you(?: please)? (?:tell me|say|find out|find|look up|name)|tell me|i (?:want|need|would like) to know|find out|say)[\s,:]+/iu;
const QUOTED = /`([^`\n]+)`|"([^"\n]+)"|“([^”\n]+)”|«([^»\n]+)»/gu;
const IDENTIFIER = /(?<![\w@/.-])@?[\p{L}\d]+(?:[-_./@][\p{L}\d]+)+|\b\p{Ll}+\p{Lu}[\p{L}\d]*/gu;
const NAME = /(?<=[^.!?:\s]\s+)\p{Lu}[\p{L}\d]+(?:\s+\p{Lu}[\p{L}\d]+)*/gu;
const NEWEST = /\b(?:newest|latest|most recent|current|last|highest)\s+(?:[\p{L}-]+\s+){0,2}(?:versions?|releases?)\b/iu;
const OLDEST = /\b(?:oldest|earliest|first|initial|lowest)\s+(?:[\p{L}-]+\s+){0,2}(?:versions?|releases?)\b/iu;

/** What a question asks: its answer's type, its subjects, and the words an answer should stand among. Deterministic. */
export function readQuestion(text: string): Question {
  const asked = stripLeadIns(text.trim());
  const bare = asked.replace(QUOTED, ' _ ');
  const type = typeOf(bare);
  const subjects = subjectsOf(asked, type);
  const own = new Set(subjects.flatMap(wordsOf));
  const words = contentWords(bare).filter((word) => !own.has(word));
  const extreme = NEWEST.test(bare) ? 'newest' : OLDEST.test(bare) ? 'oldest' : undefined;
  return { type, subjects, words, needed: neededWords(type, bare, own), ...(extreme !== undefined && { extreme }) };
}

/** The stemmed words of a text that carry meaning, each once, in order. */
export function contentWords(text: string): string[] {
  return [...new Set(wordsOf(text))].filter((word) => !STOP_WORDS.has(word) && /[\p{L}\p{N}]/u.test(word));
}

/** Spans that a text puts in quotes or backquotes. */
export function quotedSpans(text: string): string[] {
  return [...text.matchAll(QUOTED)]
    .map((match) => (match[1] ?? match[2] ?? match[3] ?? match[4] ?? '').trim())
    .filter((span) => span !== '');
}

function stripLeadIns(text: string): string {
  const stripped = text.replace(LEAD_IN, '');
  return stripped === text ? text : stripLeadIns(stripped);
}

function typeOf(bare: string): AnswerType {
  let first: { type: AnswerType; at: number } | undefined;
  for (const [type, pattern] of TYPES) {
    const at = bare.search(pattern);
    if (at >= 0 && (first === undefined || at < first.at)) first = { type, at };
  }
  return first?.type ?? 'sentence';
}

/** What is quoted is a subject, else what is written as a name; a licence that the question offers as a choice is none. */
function subjectsOf(asked: string, type: AnswerType): string[] {
  const quoted = quotedSpans(asked);
  if (quoted.length > 0) return [...new Set(quoted)];
  const choices = type === 'licence' ? findAnswers(type, asked) : [];
  const open = choices.reduce((text, { value }) => text.replaceAll(value, ' '), asked);
  const names = (pattern: RegExp): string[] => [...new Set([...open.matchAll(pattern)].map(([name]) => name))];
  const identifiers = names(IDENTIFIER);
  return identifiers.length > 0 ? identifiers : names(NAME);
}

function neededWords(type: AnswerType, bare: string, own: ReadonlySet<string>): string[] {
  const pattern =
    type === 'number'
      ? /\bhow (?:many|much) ([\p{L}-]+)/iu
      : type === 'version'
        ? /\b(?:versions?|releases?) of ([\p{L}\d.-]+)/iu
        : undefined;
  const named = pattern?.exec(bare)?.[1];
  return named === undefined ? [] : wordsOf(named).filter((word) => !own.has(word) && !STOP_WORDS.has(word));
}
