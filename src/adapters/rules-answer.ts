import type { ContextItem } from '../domain/context.js';
import type { AnswerInput, AnswerReply } from '../prompts/inputs.js';
import { findAnswers, isAddress } from './rules-candidates.js';
import { contentWords, quotedSpans, readQuestion, type Question } from './rules-question.js';
import { covered, names, passagesOf, withoutImages, type Passage } from './rules-text.js';

const UNKNOWN = "I don't know: none of my memories says it.";

/** Longest sentence given as an answer, in characters. */
const LONGEST = 400;

/** Least share of the question's words that a sentence must have to answer where no kind of thing is asked for. */
const LEAST_COVERED = 0.34;

/** Least likeness of an earlier task to this one for its answer to be taken over. */
const SAME_TASK = 0.9;

interface Candidate {
  readonly value: string;
  readonly score: number;
  readonly n: number;
  readonly isHeading: boolean;
  readonly subject: number;
}

/** What an answerer looks for: the question, and words of the feedback on its last answer. */
interface Search {
  readonly question: Question;
  readonly hints: readonly string[];
}

/**
 * Answers a question by a span of one memory, or says honestly that none holds it. No world knowledge: the span has the form
 * that the question asks for, from the memory and passage that share most with the question and name its subject.
 */
export function answer(input: AnswerInput): AnswerReply {
  const question = readQuestion(input.instruction);
  const known = new Set([...question.words, ...question.subjects.flatMap(contentWords)]);
  const feedback = input.feedback ?? '';
  const search = { question, hints: contentWords(feedback).filter((word) => !known.has(word)) };
  const candidates = input.memories.flatMap((memory, rank) => candidatesIn(memory, rank, search));
  const refused = new Set(quotedSpans(feedback).filter((span) => !question.subjects.includes(span)));
  const accepted = candidates.filter(({ value }) => !refused.has(value));
  const best = choose(accepted, question);
  return best === undefined ? { answer: UNKNOWN, cited: [], known: false } : { answer: best.value, cited: [best.n], known: true };
}

/** Whether an answer is the honest way of saying that memory doesn't hold it. */
export const isUnknown = (text: string): boolean => text.trim() === '' || /\bI (?:don['’]t|do not) know\b/iu.test(text);

function candidatesIn(memory: ContextItem, rank: number, search: Search): Candidate[] {
  if (memory.kind === 'episodic' && covered(wordsAsked(search.question), memory.text) < SAME_TASK) return [];
  const base = 0.15 / (1 + rank) + (memory.kind === 'procedural' ? 0.2 : 0);
  return passagesOf(memory.text)
    .flatMap((passage) => {
      const subject = subjectMatch(search.question, memory, passage);
      if (search.question.subjects.length > 0 && subject === 0) return [];
      const score = base + subject * 1.2 + bearing(search, passage, memory.title);
      return valuesIn(search.question, passage).map(({ value, strength }) => ({
        value,
        n: memory.n,
        isHeading: passage.isHeading,
        subject,
        score: score + strength * 0.5,
      }));
    })
    .concat(isAddress(search.question.type) ? addressesIn(memory, base, search) : []);
}

const wordsAsked = (question: Question): string[] => [...question.words, ...question.subjects.flatMap(contentWords)];

/** How much a passage bears on the question: its own words, then those around it and in its headings, then the feedback's. */
function bearing({ question, hints }: Search, { text, around, heading }: Passage, title: string): number {
  const context = `${around}\n${heading}\n${title}`;
  return covered(question.words, text) * 0.4 + covered(question.words, context) * 0.8 + covered(hints, context) * 0.3;
}

/** 1 where the memory's title names every subject, 0.8 where the passage does; 0.5 where the question names none. */
function subjectMatch({ subjects }: Question, memory: ContextItem, { text, heading, around }: Passage): number {
  if (subjects.length === 0) return 0.5;
  const matched = subjects.map((subject) =>
    names(memory.title, subject) ? 1 : names(`${heading} ${text}`, subject) ? 0.8 : names(around, subject) ? 0.6 : 0,
  );
  return matched.reduce<number>((sum, one) => sum + one, 0) / subjects.length;
}

function valuesIn(question: Question, passage: Passage): { value: string; strength: number }[] {
  if (question.type === 'yes_no' || question.type === 'sentence') return sentenceAnswer(question, passage);
  if (isAddress(question.type)) return [];
  if (question.needed.length > 0 && covered(question.needed, passage.text) < 1) return [];
  return findAnswers(question.type, passage.text).filter(({ value }) => !question.subjects.includes(value));
}

function addressesIn(memory: ContextItem, base: number, { question, hints }: Search): Candidate[] {
  const lines = withoutImages(memory.text).split('\n');
  return lines.flatMap((line) => {
    const passage = { text: line, heading: '', isHeading: false, around: line };
    const subject = subjectMatch(question, memory, passage);
    if (question.subjects.length > 0 && subject === 0) return [];
    const score = base + subject * 1.2 + bearing({ question, hints }, passage, memory.title);
    return findAnswers(question.type, line).map(({ value, strength }) => ({
      value,
      n: memory.n,
      isHeading: false,
      subject,
      score: score + strength * 0.5,
    }));
  });
}

function sentenceAnswer(question: Question, { text, isHeading, around }: Passage): { value: string; strength: number }[] {
  const share = covered(question.words, text);
  if (isHeading || share < (question.type === 'yes_no' ? 0.6 : LEAST_COVERED)) return [];
  const said = text.length > LONGEST ? `${text.slice(0, LONGEST).toWellFormed()}…` : text;
  const value = question.type === 'yes_no' ? `${isNegated(text) ? 'No' : 'Yes'}: ${said}` : said;
  return [{ value, strength: around === text ? 0.5 : 0.3 }];
}

const isNegated = (text: string): boolean => /\b(?:not|no|never|cannot|without|un(?:able|supported))\b|n['’]t\b/iu.test(text);

/** The best by score; where the newest or oldest is asked for, that one among the releases of the best subject, headings first. */
function choose(candidates: readonly Candidate[], { type, extreme }: Question): Candidate | undefined {
  const [best] = [...candidates].sort((a, b) => b.score - a.score);
  if (best === undefined || extreme === undefined || type !== 'version') return best;
  const alike = candidates.filter(({ subject }) => subject >= best.subject);
  const headings = alike.filter(({ isHeading }) => isHeading);
  const ordered = [...(headings.length > 0 ? headings : alike)].sort(
    (a, b) => compareVersions(b.value, a.value) || b.score - a.score,
  );
  return extreme === 'newest' ? ordered[0] : ordered.at(-1);
}

/** Order of two version numbers by their parts; a pre-release comes before its release. */
export function compareVersions(a: string, b: string): number {
  const [mainA = '', preA] = a.split('-', 2);
  const [mainB = '', preB] = b.split('-', 2);
  const partsA = mainA.split('.').map(Number);
  const partsB = mainB.split('.').map(Number);
  for (let i = 0; i < Math.max(partsA.length, partsB.length); i++) {
    const difference = (partsA[i] ?? 0) - (partsB[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return preA === preB ? 0 : preA === undefined ? 1 : preB === undefined ? -1 : preA < preB ? -1 : 1;
}
