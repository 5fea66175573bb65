import { z } from 'zod';

import { FAULTS, type EditKind } from '../domain/edit.js';
import type { Prompt } from '../ports/language-model.js';
import { beginning, block, DATA_RULE, message, replyRule } from './block.js';
import type { AttributionInput, AttributionReply } from './inputs.js';
import { readReply } from './reply.js';
import { replySchema, shownNumber } from './schema.js';

/** Enough of a memory to tell what it is about; a chunk has 512 characters by default. */
const SHOWN_CHARACTERS = 800;

const EDITS = {
  expand: z.object({ edit: z.literal('expand') }),
  prune: z.object({ edit: z.literal('prune'), nodes: z.array(shownNumber) }),
  reshape: z.object({ edit: z.literal('reshape'), node: shownNumber, direction: z.enum(['finer', 'coarser']) }),
  bypass: z.object({ edit: z.literal('bypass') }),
};

const replyOf = <T extends z.ZodType>(edit: T) => z.object({ reason: z.string(), fault: z.enum(FAULTS), edits: z.array(edit) });

const schema = replyOf(z.union([EDITS.expand, EDITS.prune, EDITS.reshape, EDITS.bypass]));

const MEANING: Readonly<Record<EditKind, string>> = {
  expand: '{"edit": "expand"}: search again with the words of the feedback and add what is found. For missing_knowledge.',
  prune: '{"edit": "prune", "nodes": [n, n]}: take away memories that mislead, by their numbers. For noise.',
  reshape:
    '{"edit": "reshape", "node": n, "direction": "finer" or "coarser"}: rewrite one memory. finer keeps only what the task needs; coarser joins it with the text before and after it. For granularity.',
  bypass: '{"edit": "bypass"}: try once without any memory. Only when memories misled again and again.',
};

const SYSTEM = `An agent did a task with the help of memories, and failed. Find the cause, and choose the edits of its memory that will make the next attempt succeed.
${DATA_RULE}

First reason in one or two sentences: what does <feedback> say is wrong? Does a <memory> hold what the task needs? Does one speak of another thing? Is one cut off, or too long? Then name the fault:
- missing_knowledge: no memory shown holds what the task needs.
- noise: what is needed is there, but memories about other things misled the agent.
- granularity: the right memory is there, but cut off, too short, or too long and mixed.
- tool: a tool or service that the agent called failed.
- environment: the world the agent acts in failed: network, permission, time-out.
- not_memory: the agent had what it needs and made a mistake of its own.

For tool, environment and not_memory, edits is []. Otherwise choose one edit or several at once, only from those that <allowed> lists, and not the same ones again that <tried> shows did not help. Name memories only by the number n they have in the message. Signs in the message: used="yes" marks what the action came from, so an answer about another thing came from there. A similarity to the task below 0.3 is likely noise. reshaped="yes" is already rewritten. Never prune a memory about the very thing that the task names.

${replyRule('{"reason": "...", "fault": "...", "edits": [...]}')}

Examples.
Feedback "no memory says who wrote it"; the memories speak of the right book, but not of its author:
{"reason": "The book is right, its author is in no memory.", "fault": "missing_knowledge", "edits": [{"edit": "expand"}]}
Feedback "this is the price of another train"; memory 6 is about the right train, memories 4 and 7 are about others:
{"reason": "Memory 6 is about the right train; 4 and 7 speak of others, and the answer came from 7.", "fault": "noise", "edits": [{"edit": "prune", "nodes": [4, 7]}]}
Feedback "the list is not complete"; memory 3 ends in the middle of the list:
{"reason": "Memory 3 is the right list, cut off before its end.", "fault": "granularity", "edits": [{"edit": "reshape", "node": 3, "direction": "coarser"}]}
Feedback "connection refused":
{"reason": "A service could not be reached; no memory changes that.", "fault": "environment", "edits": []}`;

/** Asks where a failed round's fault lies. The reply's schema allows only the edits that the caller allows. */
export function attributionPrompt(input: AttributionInput): Prompt<AttributionInput> {
  const user = message(
    block('task', input.instruction),
    input.observation === '' ? undefined : block('observation', beginning(input.observation, 4 * SHOWN_CHARACTERS)),
    '<memories>',
    input.links.map(({ n, kind, title, text, similarity, reshaped, cited }) =>
      block('memory', beginning(text, SHOWN_CHARACTERS), {
        n,
        kind,
        from: title,
        similarity: similarity.toFixed(2),
        used: cited ? 'yes' : 'no',
        ...(reshaped && { reshaped: 'yes' }),
      }),
    ),
    '</memories>',
    block('action', beginning(input.action, 4 * SHOWN_CHARACTERS)),
    block('feedback', beginning(input.feedback, 4 * SHOWN_CHARACTERS)),
    block('tried', input.tried.length === 0 ? 'nothing yet' : input.tried.join('\n'), { rounds: input.round }),
    `<allowed>\n${input.allowed.map((edit) => MEANING[edit]).join('\n')}\n</allowed>`,
  );
  return { name: 'attribution', system: SYSTEM, user, schema: schemaFor(input.allowed), input, maxTokens: 1_500 };
}

function schemaFor(allowed: readonly EditKind[]): Readonly<Record<string, unknown>> {
  const [first, ...others] = allowed.map((edit) => EDITS[edit]);
  return replySchema(
    first === undefined
      ? replyOf(EDITS.expand).extend({ edits: z.array(EDITS.expand).max(0) })
      : replyOf(z.union([first, ...others])),
  );
}

/**
 * The attribution; fails with `UnreadableReply`. Neither the numbers nor whether an edit was allowed is checked here: the
 * caller knows what it showed, and refuses and reports the rest (design.md section 7, promise 2).
 */
export const parseAttribution = (text: string): AttributionReply => readReply(text, schema);
