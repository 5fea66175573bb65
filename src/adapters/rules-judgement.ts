import type { JudgementInput, JudgementReply, RelevanceInput, RelevanceReply } from '../prompts/inputs.js';
import { isUnknown } from './rules-answer.js';
import { findAnswers, isAddress, type AnswerType } from './rules-candidates.js';
import { contentWords, readQuestion } from './rules-question.js';
import { covered, names, readable } from './rules-text.js';

const WHAT: Readonly<Record<AnswerType, string>> = {
  version: 'version number',
  licence: 'licence',
  person: 'name of a person',
  url: 'web address',
  email: 'e-mail address',
  number: 'number',
  date: 'date',
  code: 'command, file or identifier',
  yes_no: 'yes or no',
  sentence: 'statement',
};

/**
 * Whether an action answers its instruction, as far as form can tell: it is there, doesn't say that it doesn't know, and has
 * what is asked for. Says nothing of truth, and its reason says so.
 */
export function judge({ instruction, action }: JudgementInput): JudgementReply {
  const { type } = readQuestion(instruction);
  const what = WHAT[type];
  if (isUnknown(action)) {
    return {
      reason: 'the action gives no answer',
      success: false,
      feedback: `No answer was given. A ${what} is asked for; the memory that has it is missing.`,
    };
  }
  if (!hasType(type, action)) {
    return {
      reason: `the action holds no ${what}`,
      success: false,
      feedback: `There is no ${what} in the answer, and that is what is asked for.`,
    };
  }
  return { reason: `the action holds a ${what}; rules can't tell whether it is true`, success: true, feedback: '' };
}

/** How well each candidate bears on the query: words shared, subject named, and something in it of the kind that is asked for. */
export function rate({ query, candidates }: RelevanceInput): RelevanceReply {
  const { type, subjects } = readQuestion(query);
  const words = contentWords(query);
  return {
    scores: candidates.map(({ n, title, text }) => {
      const whole = `${title}\n${readable(text)}`;
      const named = subjects.length === 0 ? 1 : subjects.filter((subject) => names(whole, subject)).length / subjects.length;
      const present = hasType(type, isAddress(type) ? text : readable(text)) ? 1 : 0;
      return { n, score: Math.round((covered(words, whole) * 0.5 + named * 0.25 + present * 0.25) * 1000) / 1000 };
    }),
  };
}

function hasType(type: AnswerType, text: string): boolean {
  if (type === 'sentence') return text.trim() !== '';
  if (type === 'yes_no') return /^\s*(?:yes|no)\b/iu.test(text);
  return findAnswers(type, text).length > 0 || (type === 'code' && text.trim() !== '');
}
