import type { Fault } from '../domain/edit.js';
import type { AttributionInput, AttributionLink, AttributionReply } from '../prompts/inputs.js';
import { isUnknown } from './rules-answer.js';
import { findAnswers } from './rules-candidates.js';
import { contentWords, readQuestion, type Question } from './rules-question.js';
import { covered, names, readable } from './rules-text.js';

type ProposedEdit = AttributionReply['edits'][number];

const ENVIRONMENT =
  /\b(?:time[ds]?[ -]?out|ETIMEDOUT|ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ENOSPC|connection (?:refused|reset|closed)|network (?:error|is down|unreachable)|rate[ -]limit(?:ed)?|too many requests|service unavailable|bad gateway|gateway time-?out|internal server error|disk (?:is )?full|out of memory|(?:status|http|error)(?: code)?:? (?:429|5\d\d))\b/iu;
const TOOL =
  /\b(?:ENOENT|EACCES|EPERM|permission denied|access denied|command not found|no such (?:file|tool|command)|unknown tool|tool (?:call )?(?:failed|error|crashed)|exit(?:ed with)? (?:code|status) [1-9]\d*|exception in tool)\b/iu;

/** A judge's ways of saying that the answer is about something else. */
const MIXED_UP =
  /\b(?:(?:about|belongs? to|of|from|for) (?:another|a different|some other|the wrong)|(?:another|different|wrong|other) (?:[\w.-]+ )?(?:subject|thing|topic|package|project|person|product|module|library|document|entity|file|one)|mix(?:ed|es|ing)?(?: it| them| two)? up|mix-?up|confus(?:ed|es|ing)|off[ -]topic|unrelated|irrelevant|not about)\b/iu;
/** … that what was seen is only a piece: its neighbours have the rest. */
const CUT_OFF =
  /\b(?:cut (?:off|short|in two|apart)|partial(?:ly)?|incomplete|truncated|fragment(?:s|ed)?|torn|split (?:off|from|in|over)|half of|only (?:a )?part|too (?:short|narrow|fine|specific)|(?:without|lacks?|missing) (?:its|the|their) (?:heading|body|beginning|start|end|rest|context|surroundings)|(?:before|above|after|below) (?:it|the (?:piece|passage|excerpt))|context is missing)\b/iu;
/** … that it holds too much for the answer to be seen. */
const TOO_COARSE =
  /\btoo (?:vague|broad|general|long|coarse|wordy|much)\b|\bburied\b|\bunspecific\b|\bmore (?:precise|specific)\b/iu;

/** Expands without success after which a rewrite of the best memory is tried along with the next one. */
const EXPANDS_BEFORE_RESHAPE = 2;

/**
 * Where a failed round's fault lies, from the feedback's words and from which links are about what was asked: a judge who says
 * "another thing" points at noise, "cut off" or "too broad" at granularity, a broken tool or connection at neither; all else
 * is missing knowledge. Proposes only edits that are allowed, several where the evidence says so.
 */
export function attribute(input: AttributionInput): AttributionReply {
  const outside = outsideMemory(input);
  if (outside !== undefined)
    return { reason: 'the feedback tells of a failing tool or environment, not of what is known', fault: outside, edits: [] };
  const question = readQuestion(input.instruction);
  const noise = allowed(input, 'prune') ? noisy(input, question) : [];
  if (noise.length > 0) return pruning(input, question, noise);
  const reshaped = reshaping(input, question);
  if (reshaped !== undefined) {
    return { reason: 'a memory that bears on the question is cut in the wrong place', fault: 'granularity', edits: [reshaped] };
  }
  return {
    reason: 'nothing that the step could see holds the answer',
    fault: 'missing_knowledge',
    edits: searching(input, question),
  };
}

function outsideMemory({ feedback, action }: AttributionInput): Fault | undefined {
  if (ENVIRONMENT.test(feedback)) return 'environment';
  if (TOOL.test(feedback)) return 'tool';
  return feedback.trim() === '' && ENVIRONMENT.test(action) ? 'environment' : undefined;
}

const allowed = ({ allowed: edits }: AttributionInput, edit: ProposedEdit['edit']): boolean => edits.includes(edit);

const semantic = (links: readonly AttributionLink[]): AttributionLink[] => links.filter(({ kind }) => kind === 'semantic');

const isAbout = (link: AttributionLink, { subjects }: Question): boolean =>
  subjects.every((subject) => names(link.title, subject) || names(link.text, subject));

/** Numbers of the links that mislead: what the refused answer was taken from and its siblings, and what names no subject. */
function noisy(input: AttributionInput, question: Question): number[] {
  const links = semantic(input.links);
  const strangers = links.filter((link) => !isAbout(link, question));
  const friends = links.filter((link) => isAbout(link, question));
  const used = links.filter(({ cited }) => cited);
  if (MIXED_UP.test(input.feedback)) {
    const titles = new Set(used.map(({ title }) => title));
    return links.filter((link) => titles.has(link.title) || strangers.includes(link)).map(({ n }) => n);
  }
  const misled = used.length > 0 && friends.length > 0 && used.every((link) => strangers.includes(link));
  return misled ? strangers.map(({ n }) => n) : [];
}

/** Takes the noise away; where nothing that is left could answer, looks for more at the same time. */
function pruning(input: AttributionInput, question: Question, noise: readonly number[]): AttributionReply {
  const left = semantic(input.links).filter(({ n }) => !noise.includes(n));
  const edits: ProposedEdit[] = [{ edit: 'prune', nodes: noise }];
  if (!left.some((link) => isAbout(link, question) && holdsAnswer(link, question)) && allowed(input, 'expand'))
    edits.push({ edit: 'expand' });
  return { reason: 'the answer was taken from memories of another thing', fault: 'noise', edits };
}

function holdsAnswer({ text }: AttributionLink, { type }: Question): boolean {
  return (
    type === 'sentence' ||
    type === 'yes_no' ||
    findAnswers(type, type === 'url' || type === 'email' ? text : readable(text)).length > 0
  );
}

function reshaping(input: AttributionInput, question: Question): ProposedEdit | undefined {
  const coarse = TOO_COARSE.test(input.feedback);
  if (!allowed(input, 'reshape') || (!coarse && !CUT_OFF.test(input.feedback))) return undefined;
  const node = nearest(input, question);
  return node === undefined ? undefined : { edit: 'reshape', node, direction: coarse ? 'finer' : 'coarser' };
}

/** The link whose own text has most of the question's words; of equals the one not yet rewritten, then the more similar. */
function nearest(input: AttributionInput, question: Question): number | undefined {
  const asked = question.words.length > 0 ? question.words : contentWords(input.instruction);
  const scored = semantic(input.links)
    .filter((link) => isAbout(link, question))
    .map((link) => ({ link, share: covered(asked, readable(link.text)) }))
    .sort(
      (a, b) =>
        b.share - a.share ||
        Number(a.link.reshaped) - Number(b.link.reshaped) ||
        b.link.similarity - a.link.similarity ||
        a.link.n - b.link.n,
    );
  return scored[0]?.link.n;
}

/** Searching on; after searches that did not help also a wider view of the best memory; without memory only as the last resort. */
function searching(input: AttributionInput, question: Question): ProposedEdit[] {
  const edits: ProposedEdit[] = [];
  const expands = input.tried.filter((edit) => edit.startsWith('expand')).length;
  const node = nearest(input, question);
  const seesOnlyPieces = isUnknown(input.action) && expands >= EXPANDS_BEFORE_RESHAPE;
  if (allowed(input, 'expand')) edits.push({ edit: 'expand' });
  if (allowed(input, 'reshape') && node !== undefined && (seesOnlyPieces || edits.length === 0)) {
    edits.push({ edit: 'reshape', node, direction: 'coarser' });
  }
  if (edits.length === 0 && allowed(input, 'bypass')) edits.push({ edit: 'bypass' });
  return edits;
}
