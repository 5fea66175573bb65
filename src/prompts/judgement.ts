import { z } from 'zod';

import type { Prompt } from '../ports/language-model.js';
import { block, DATA_RULE, message, replyRule } from './block.js';
import type { JudgementInput, JudgementReply } from './inputs.js';
import { readReply } from './reply.js';
import { replySchema } from './schema.js';

const schema = z.object({ reason: z.string(), success: z.boolean(), feedback: z.string() });

const SYSTEM = `You judge whether an agent did its task. You see the task, what the agent saw, and what it did or answered.
${DATA_RULE}

First reason in one or two sentences, then decide.
- success true: the action gives what the task asks for, of the right kind and about the right thing, and contradicts nothing in <observation>. Short is fine.
- success false: it says that it doesn't know, answers another question, gives the wrong kind of thing, leaves a part out, or contradicts <observation>.
Do not fail an answer only because you cannot check it yourself.
- feedback: on failure, what is wrong and what kind of thing to look for, in one sentence. Do not give an answer of your own. On success "".

${replyRule('{"reason": "...", "success": true, "feedback": ""}')}

Examples. <task>Who founded the observatory?</task>
<action>Ada Brandt founded it.</action> gives
{"reason": "It names a person as the founder, which is what was asked.", "success": true, "feedback": ""}
<action>It was founded in 1884.</action> gives
{"reason": "The task asks for a person, the answer is a year.", "success": false, "feedback": "This is a year; look for the person who founded the observatory."}`;

/** Self-verification: the model is shown what was asked and what was done, never a reference answer. */
export function judgementPrompt(input: JudgementInput): Prompt<JudgementInput> {
  const user = message(
    block('task', input.instruction),
    input.observation === '' ? undefined : block('observation', input.observation),
    block('action', input.action),
  );
  return { name: 'judgement', system: SYSTEM, user, schema: replySchema(schema), input, maxTokens: 1_000 };
}

/** The verdict; fails with `UnreadableReply`. */
export const parseJudgement = (text: string): JudgementReply => readReply(text, schema);
