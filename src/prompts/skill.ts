import { z } from 'zod';

import type { Prompt } from '../ports/language-model.js';
import { beginning, block, DATA_RULE, message, replyRule } from './block.js';
import type { ExperienceShown, SkillInput, SkillReply, SkillRewriteInput } from './inputs-skill.js';
import { readReply } from './reply.js';
import { replySchema } from './schema.js';

const schema = z.object({ text: z.string().trim().min(1) });

const FORM = `Write the skill in this form, one thing a line:
For tasks like: what the tasks ask for, in their words
1. an action, as the agents wrote it
2. for each "LINE WITH {1}": an action with {1}
On the way, as needed: action; action
- A step that does something with what was read is written with "for each": the line as it was read, {1} where the thing stood, then the action with {1} in its place. A line of a list has the list's heading before it: "Shopping: {1}".
- Keep the order in which things must be done. Names, places and numbers that differ from task to task are never written out.
- "On the way" names what helps to find what a step needs. Leave it out where nothing does.
- Say nothing that the tasks don't show. No comments, no reasons: short is better.`;

const INDUCE = `You write a skill: one short procedure that an agent can follow in new tasks of the same kind.
${DATA_RULE}

You see tasks that went well (<success>) and perhaps some that failed (<failure>), each with what the agent saw and did. Write what the successes have in common and the failures lack. Where there is a <skill>, it was written from earlier tasks of this kind: keep what still holds, and mend what these tasks show to be wrong or missing.
${FORM}

${replyRule('{"text": "For tasks like: ...\\n1. ..."}')}`;

const REWRITE = `You repair a skill: a short procedure that agents follow. With the <skill> as it stands, some tasks failed.
${DATA_RULE}

Each <failure> shows what an agent that followed the skill saw and did, and what was wrong at the end; each <success> how a task of this kind was done. Find the step that leads to the failures, and write the skill anew so that it leads to success: correct, add, reorder or take out steps. Don't write a <tried> text again: it did no better.
${FORM}

${replyRule('{"text": "For tasks like: ...\\n1. ..."}')}`;

/** Characters of the tasks shown, all together: what a model with a window of 8,000 tokens reads and still can answer. */
const MOST_CHARACTERS = 16_000;
/** Characters of one observation; what a room looks like in full tells a model no more than its beginning. */
const MOST_OBSERVED = 300;

/** Asks for one skill out of tasks of one kind. */
export function skillPrompt(input: SkillInput): Prompt<SkillInput> {
  return { name: 'skill', system: INDUCE, user: shown(input), schema: replySchema(schema), input, maxTokens: 1_500 };
}

/** Asks for a skill rewritten from what failed under it. */
export function skillRewritePrompt(input: SkillRewriteInput): Prompt<SkillRewriteInput> {
  const user = message(shown(input), ...input.tried.map((text) => block('tried', text)));
  return { name: 'skill_rewrite', system: REWRITE, user, schema: replySchema(schema), input, maxTokens: 1_500 };
}

/** The skill's text, never empty; fails with `UnreadableReply`. */
export const parseSkill = (text: string): SkillReply => readReply(text, schema);

function shown({ known, successes, failures }: SkillInput): string {
  const each = Math.floor(MOST_CHARACTERS / Math.max(1, successes.length + failures.length));
  return message(
    known === undefined ? undefined : block('skill', known),
    successes.map((experience) => told('success', experience, each)),
    failures.map((experience) => told('failure', experience, each)),
  );
}

/** A task that doesn't fit is cut in the middle of what was done: its end says why it went as it went. */
function told(tag: string, { instruction, trajectory, feedback }: ExperienceShown, characters: number): string {
  const acts = trajectory.map(({ observation, action }) => {
    const seen = observation.trim() === '' ? '' : `${block('saw', beginning(observation, MOST_OBSERVED))}\n`;
    return `${seen}${block('did', beginning(action, MOST_OBSERVED))}`;
  });
  const ending = feedback.trim() === '' ? [] : [block('end', beginning(feedback, MOST_OBSERVED))];
  return [
    `<${tag}>`,
    block('task', beginning(instruction, MOST_OBSERVED)),
    ...fitting(acts, characters),
    ...ending,
    `</${tag}>`,
  ].join('\n');
}

function fitting(acts: readonly string[], characters: number): string[] {
  if (acts.reduce((sum, act) => sum + act.length, 0) <= characters) return [...acts];
  const [first, last]: [string[], string[]] = [[], []];
  let left = characters;
  for (let at = 0; at < acts.length; at++) {
    const act = (at % 2 === 0 ? acts[at / 2] : acts[acts.length - (at + 1) / 2]) as string;
    left -= act.length;
    if (left < 0) break;
    if (at % 2 === 0) first.push(act);
    else last.unshift(act);
  }
  return [...first, '…', ...last];
}
