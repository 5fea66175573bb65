import { z } from 'zod';

import { estimateTokens } from '../domain/context.js';
import { VERDICTS } from '../domain/update-queue.js';
import type { Prompt } from '../ports/language-model.js';
import { beginning, block, DATA_RULE, message, replyRule } from './block.js';
import type { ReconcileFact, ReconcileInput, ReconcileReply } from './inputs-reconcile.js';
import { readReply } from './reply.js';
import { replySchema, shownNumber } from './schema.js';

const SHOWN_CHARACTERS = 800;

/** Room for the reason, and for one merged wording. */
const FEWEST_TOKENS = 600;

/** A number below 0, or none, is how models say that they mean no memory (case O04). */
const named = z.preprocess((value) => (typeof value === 'number' && value < 0 ? null : (value ?? null)), shownNumber.nullable());

const schema = z.object({
  reason: z.string(),
  verdicts: z.array(
    z.object({
      n: named,
      verdict: z.enum(VERDICTS),
      text: z.preprocess((value) => value ?? null, z.string().nullable()),
    }),
  ),
});

const SYSTEM = `You keep a memory of facts true. A new <fact> came in; each <memory> is an earlier fact about something similar, with its number n. Say what the new fact does to each memory.
${DATA_RULE}

First give the reason, in one sentence. Then one verdict for each memory that changes, by its n; a memory that you leave out is kept as it is:
- merge: both say the same thing, or one adds a detail to the same thing. text: one sentence with all that both say.
- supersede: it was true, and the new fact is what is true now in its place (moved, sold, changed jobs, finished a plan).
- contradict: both can't be true, and the new fact corrects it.
- abstract: it and the new fact are examples of one general thing. text: that general thing, in one sentence. Both stay.
- relate: they are about the same matter, and both stay.
- keep: they have nothing to do with each other.
Two things may both be true: a second hobby, pet, trip or friend replaces nothing. If in doubt, leave it out. text is null for all but merge and abstract. Invent nothing: no name, number or date that is in neither.

${replyRule('{"reason": "...", "verdicts": [{"n": 1, "verdict": "supersede", "text": null}]}')}

Example. <fact at="2024-06-01">Ben lives in Oslo.</fact> with memory 1 "Ben lives in Bergen." and memory 2 "Ben has a boat." gives
{"reason": "Ben moved to Oslo; his boat is another matter.", "verdicts": [{"n": 1, "verdict": "supersede", "text": null}]}`;

/** Asks what one fact does to the earlier ones that it is held against: one question a target. */
export function reconcilePrompt(input: ReconcileInput): Prompt<ReconcileInput> {
  const memories = input.memories.map((memory) => shown('memory', memory, memory.n));
  const user = message('<memories>', memories, '</memories>', shown('fact', input.fact));
  return {
    name: 'reconcile',
    system: SYSTEM,
    user,
    schema: replySchema(schema),
    input,
    maxTokens: FEWEST_TOKENS + 2 * estimateTokens(user),
  };
}

/** The verdicts; fails with `UnreadableReply`. Numbers are not checked here: the caller knows what it showed. */
export const parseReconcile = (text: string): ReconcileReply => readReply(text, schema);

function shown(tag: string, { text, speaker, at }: ReconcileFact, n?: number): string {
  return block(tag, beginning(text, SHOWN_CHARACTERS), {
    ...(n !== undefined && { n }),
    ...(speaker !== undefined && { by: speaker }),
    ...(at !== undefined && { at: at.slice(0, DAY_LENGTH) }),
  });
}

const DAY_LENGTH = '2023-05-08'.length;
