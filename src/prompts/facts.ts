import { z } from 'zod';

import { estimateTokens } from '../domain/context.js';
import type { Prompt } from '../ports/language-model.js';
import { block, DATA_RULE, message, replyRule } from './block.js';
import type { FactsInput, FactsReply, FactsSection, FactsTurn } from './inputs-facts.js';
import { readReply } from './reply.js';
import { replySchema, shownNumber } from './schema.js';

/** Room for a reply: enough to say everything twice. Four times the most, which a reply cut off is given, is what current models write at most. */
const FEWEST_TOKENS = 1_500;
const MOST_TOKENS = 4_000;

// Servers without a schema leave out what is null.
const orNull = <T extends z.ZodType>(type: T) => z.preprocess((value) => value ?? null, type.nullable());

const schema = z.object({
  topics: z.array(
    z.object({
      section: shownNumber,
      title: z.string(),
      summary: z.string(),
      facts: z.array(
        z.object({
          turn: orNull(shownNumber),
          saidBy: z.enum(['user', 'assistant']),
          text: z.string(),
          when: orNull(z.string()),
        }),
      ),
    }),
  ),
});

const SYSTEM = `You read parts of a conversation and write down what is worth remembering.
${DATA_RULE}

Each <section> is about one topic. Its <turn> blocks have a number n, who spoke (by), and when (at, valid until the next at). Words may be missing from turns; use only what is there. For each section, by its number:
- title: 2 to 6 words. summary: one sentence, two at most.
- facts: each lasting piece of information once, one a sentence: events, plans, tastes, people, things, places, numbers, dates. A question, a greeting or small talk is no fact. [] if there are none.
For each fact:
- turn: the n of the turn that says it, null if you cannot tell.
- saidBy: "assistant" if a turn with role="assistant" says it, else "user". What an assistant said or suggests is never the user's own.
- text: a sentence that stands alone, with names in place of I, you, it. Keep numbers and names as written. Leave words like yesterday to "when".
- when: the time words of that very turn that tell when it happens, copied ("yesterday", "5 May"); null if the turn has none. Do not calculate.

${replyRule('{"topics": [{"section": 1, "title": "...", "summary": "...", "facts": [{"turn": 1, "saidBy": "user", "text": "...", "when": null}]}]}')}

Examples of facts. <turn n="8" by="Ben">I sold the van yesterday for 900 euros. Ada drives me now.</turn> gives
{"turn": 8, "saidBy": "user", "text": "Ben sold his van for 900 euros.", "when": "yesterday"}, {"turn": 8, "saidBy": "user", "text": "Ada drives Ben.", "when": null}
<turn n="9" by="assistant" role="assistant">I suggest the early train. Will you take it?</turn> gives
{"turn": 9, "saidBy": "assistant", "text": "The assistant suggests that Ben takes the early train.", "when": null}`;

/** Asks for the facts and a summary of each section: one question for a whole batch. */
export function factsPrompt(input: FactsInput): Prompt<FactsInput> {
  const user = message(input.sections.map(written));
  const maxTokens = Math.min(MOST_TOKENS, FEWEST_TOKENS + 2 * estimateTokens(user));
  return { name: 'facts', system: SYSTEM, user, schema: replySchema(schema), input, maxTokens };
}

/**
 * The facts, topic by topic; fails with `UnreadableReply`. Numbers are not checked here: the caller knows what it showed
 * (design.md section 7, promise 2).
 */
export const parseFacts = (text: string): FactsReply => readReply(text, schema);

function written({ n, turns }: FactsSection): string {
  let day: string | undefined;
  const lines = turns.map((turn) => {
    const at = turn.at === undefined ? undefined : minuteOf(turn.at);
    const told = at !== undefined && at.slice(0, DAY_LENGTH) !== day;
    if (told) day = at.slice(0, DAY_LENGTH);
    return block('turn', turn.text, {
      n: turn.n,
      by: by(turn),
      ...(told && { at }),
      ...(turn.role !== 'user' && { role: turn.role }),
    });
  });
  return `<section n="${n}">\n${lines.join('\n')}\n</section>`;
}

const by = ({ speaker, role }: FactsTurn): string => speaker ?? role;

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const DAY_LENGTH = 'Mon 2023-05-08'.length;

/** `Mon 2023-05-08 13:56`, in UTC: by the weekday a reader tells what "last Friday" is. */
function minuteOf(at: string): string {
  const date = new Date(at);
  return `${WEEKDAYS[date.getUTCDay()]} ${date.toISOString().slice(0, 16).replace('T', ' ')}`;
}
