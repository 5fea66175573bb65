import { entitiesOf } from './entities.js';
import { timeWords } from './fact-time.js';
import { wordsOf } from './words.js';

/** How a statement stands to what it tells: somebody means to, it is under way, it happened, or it is so. */
export type Aspect = 'intended' | 'under way' | 'happened' | 'so';

/** What of a statement must agree with another before both may be taken for the same. English; of other languages words and numbers alone. */
export interface Statement {
  /** Telling words, stemmed, without the names. */
  readonly words: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
  /** The first of the names, which as a rule it is about. */
  readonly subject?: string;
  /** Numbers in digits and words, ordinals, and days and months, which are values alike. */
  readonly values: ReadonlySet<string>;
  /** How often it denies. */
  readonly denials: number;
  readonly aspect: Aspect;
  /** Whether it names a time of its own, exact or vague ("last week", "recently"). */
  readonly timed: boolean;
  /** Whether it says something of what belongs to its subject ("Ann's dogs love …"), not of the subject. */
  readonly possessive: boolean;
  /** Whether it turns round on itself ("but", "although"). */
  readonly turns: boolean;
  /** Whether it is written in Latin letters; what turns a statement round is not known of others. */
  readonly latin: boolean;
}

const DENIAL =
  /\b(?:no|not|never|none|nobody|nothing|nowhere|neither|nor|without|cannot|stop(?:s|ped)?|quit|longer|any ?more|used to|former(?:ly)?|nicht|kein\w*|nie|niemals|ohne|pas|jamais|sans|nunca|ningún)\b|n['’]t\b/giu;
const VALUE =
  /\p{N}+(?:[.,:]\p{N}+)*|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|thousand|dozen|half|twice|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|april|june|july|august|september|october|november|december)s?\b/giu;
/** One way of writing for what is said in two. */
const VALUES: Readonly<Record<string, string>> = Object.fromEntries(
  'zero one two|second three|third four|fourth five|fifth six|sixth seven|seventh eight|eighth nine|ninth ten|tenth'
    .split(' ')
    .flatMap((words, number) => words.split('|').map((word) => [word, String(number)])),
);
/** Where the verb of a short statement stands: within its first words. */
const HEAD = /^(?:\S+\s+){0,6}\S*/u;
const INTENDED =
  /\b(?:plan(?:s|ning)?|considering|think(?:s|ing) (?:about|of)|look(?:s|ing) (?:for|into|forward|at)|want(?:s|ing)?|hop(?:es?|ing)|aim(?:s|ing)?|intend(?:s|ing)?|going to|will|would like|wish(?:es|ing)?|aspir(?:es|ing)|search(?:es|ing)|research(?:es|ing)|prepar(?:es|ing)|about to|interested in|dream(?:s|ing) of)\b/iu;
const UNDER_WAY =
  /\b(?:am|is|are|was|were|been|'m|'re)\s+(?:\w+ly\s+|still\s+|now\s+|just\s+)?(?!interesting|amazing)[a-z]+ing\b/iu;
/** The verb of a statement that tells what happened; to have said something is no event. */
const HAPPENED =
  /^(?:the\s+)?\S+(?:\s+and\s+\S+(?:\s+\S+)?)?\s+(?:also\s+|\w+ly\s+)?(?!(?:express|mention|share|state|emphasize|acknowledge|explain|need|use)d?e?d\b)(?:[a-z]{2,}ed|went|got|won|bought|found|made|took|became|began|sold|left|lost|met|saw|gave|held|ran|had|came|did|quit|felt|built|wrote|spent|taught|ate)\b/iu;
const VAGUE_TIME =
  /\b(?:recent(?:ly)?|lately|(?:a )?few (?:days|weeks|months) ago|(?:last|next|previous|this|past|following) \w+|tomorrow|yesterday|ago|upcoming)\b/iu;
const TURN = /\b(?:but|although|though|however|instead|except|unless)\b/iu;

/** Reads a statement. Pure; the same for the same text. */
export function statementOf(text: string): Statement {
  const names = new Set(entitiesOf(text));
  const [subject] = names;
  const ofNames = new Set([...names].flatMap((name) => wordsOf(name)));
  const [head = ''] = HEAD.exec(text) ?? [];
  return {
    words: new Set(wordsOf(text).filter((word) => !ofNames.has(word) && word !== 'user')),
    names,
    ...(subject !== undefined && { subject }),
    values: new Set([...text.matchAll(VALUE)].map(([value]) => plainValue(value))),
    denials: [...text.matchAll(DENIAL)].length,
    aspect: aspectOf(head),
    timed: VAGUE_TIME.test(text) || timeWords(text) !== undefined,
    possessive: /^(?:the\s+)?\S+['’]s?\s/iu.test(text),
    turns: TURN.test(text),
    latin: !/(?!\p{sc=Latin})\p{L}/u.test(text),
  };
}

function aspectOf(head: string): Aspect {
  if (INTENDED.test(head)) return 'intended';
  return UNDER_WAY.test(head) ? 'under way' : HAPPENED.test(head) ? 'happened' : 'so';
}

function plainValue(value: string): string {
  const lower = value.toLowerCase();
  return VALUES[lower] ?? lower.replace(/(?<=\p{N})(?:st|nd|rd|th)$/u, '');
}
