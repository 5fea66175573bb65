import { z } from 'zod';

import type { Prompt } from '../ports/language-model.js';
import { beginning, block, DATA_RULE, message, replyRule } from './block.js';
import type { RelevanceInput, RelevanceReply } from './inputs.js';
import { readReply } from './reply.js';
import { replySchema, shownNumber } from './schema.js';

const SHOWN_CHARACTERS = 800;

const schema = z.object({ scores: z.array(z.object({ n: shownNumber, score: z.number().min(0).max(1) })) });

const SYSTEM = `You judge which memories help with a query.
${DATA_RULE}

Give each memory a score from 0 to 1:
- 1: it holds the answer, or what the query needs.
- 0.5: it speaks of the same thing, without the answer.
- 0: it speaks of something else, even if it uses similar words.
Judge each by its own text. Score every memory once, by its number n.

${replyRule('{"scores": [{"n": 1, "score": 0.5}, ...]}')}

Example. <query>When does the library open?</query> with memory 1 "The library opens at nine." and memory 2 "Opening a tin needs a tin opener." gives
{"scores": [{"n": 1, "score": 1}, {"n": 2, "score": 0}]}`;

/** The verifier's one question about a whole short list. */
export function relevancePrompt(input: RelevanceInput): Prompt<RelevanceInput> {
  const candidates = input.candidates.map(({ n, title, text }) =>
    block('memory', beginning(text, SHOWN_CHARACTERS), { n, from: title }),
  );
  const user = message('<memories>', candidates, '</memories>', block('query', input.query));
  // A score takes about 16 tokens in JSON with spaces; twice that, and room for a reasoning model's beginning.
  return {
    name: 'relevance',
    system: SYSTEM,
    user,
    schema: replySchema(schema),
    input,
    maxTokens: 500 + 32 * input.candidates.length,
  };
}

/** The scores; fails with `UnreadableReply`, also where one is not from 0 to 1. Numbers are not checked against those shown. */
export const parseRelevance = (text: string): RelevanceReply => readReply(text, schema);
