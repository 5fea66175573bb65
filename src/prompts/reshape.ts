import { z } from 'zod';

import { estimateTokens } from '../domain/context.js';
import type { Prompt } from '../ports/language-model.js';
import { block, DATA_RULE, message, replyRule } from './block.js';
import type { ReshapeInput, ReshapeReply } from './inputs.js';
import { readReply } from './reply.js';
import { replySchema } from './schema.js';

const schema = z.object({ text: z.string().trim().min(1) });

const SYSTEM = `You rewrite one memory so that an agent can do its task with it.
${DATA_RULE}

- <direction>finer</direction>: keep the sentences of <memory> that the task needs, with the heading or subject that says what they are about; leave out the rest.
- <direction>coarser</direction>: join <before>, <memory> and <after> into one text that reads on, so that what was cut apart stands together: a heading with its lines, a list with its end. Leave out only what the task surely doesn't need.
- Say nothing that is not in the blocks. Copy names, numbers, versions, dates, paths and quoted words exactly. Keep "not" and "never".
- The rewritten memory states what the source says. It does not answer the task, and does not speak of the task or the feedback.

${replyRule('{"text": "..."}')}

Example, finer, for the task "Which port does the server use?": the memory "# Server\\nIt was written in 2019. It listens on port 7000. Logs go to /var/log." gives
{"text": "# Server\\nIt listens on port 7000."}`;

/** Asks for one memory rewritten, finer or coarser. */
export function reshapePrompt(input: ReshapeInput): Prompt<ReshapeInput> {
  const user = message(
    block('task', input.instruction),
    block('feedback', input.feedback),
    `<direction>${input.direction}</direction>`,
    input.before === '' ? undefined : block('before', input.before),
    block('memory', input.text, { from: input.title }),
    input.after === '' ? undefined : block('after', input.after),
  );
  const tokens = estimateTokens(input.before) + estimateTokens(input.text) + estimateTokens(input.after);
  return { name: 'reshape', system: SYSTEM, user, schema: replySchema(schema), input, maxTokens: 500 + 2 * tokens };
}

/** The rewritten memory, never empty; fails with `UnreadableReply`. */
export const parseReshape = (text: string): ReshapeReply => readReply(text, schema);
