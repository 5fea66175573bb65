import { EngraphError } from '../src/domain/failure.js';
import { idOf } from '../src/domain/id.js';
import { addSpent, NOTHING_SPENT, type Spent, type Totals } from '../src/domain/refinement.js';
import type { LanguageModel, Prompt, Usage } from '../src/ports/language-model.js';
import type { CallOptions } from '../src/ports/vector-store.js';
import { longerReplyPrompt, repairReplyPrompt } from '../src/prompts/repair-reply.js';
import type { Draft, Drafts } from '../src/store/drafts.js';

/** What a question is asked with: the model, and where its answers are kept. */
export interface Asking {
  readonly model: LanguageModel;
  readonly drafts: Drafts;
}

/** Names a question for good: an answer kept under it is never bought again. */
export interface Question extends CallOptions {
  readonly space: string;
  readonly batchId: string;
  /** The activity's attempt, which tells apart two that begin at once. */
  readonly attempt?: number;
  /** What it is asked for, where several may ask the same: an answer that another has paid for costs this one nothing. */
  readonly buyer?: string;
}

/**
 * Asks the model one thing: keeps the answer under the batch id before it is used (design.md section 7, promise 3), asks once
 * more with room for more tokens where the answer was cut off, and once for a readable answer where it can't be parsed. Fails
 * with the model's own kinds, `llm_truncated` or `llm_unparseable`; the raw answer then stays in the draft.
 */
export async function ask<Input, Reply>(
  asking: Asking,
  question: Question,
  prompt: Prompt<Input>,
  parse: (text: string) => Reply,
): Promise<{ reply: Reply; spent: Spent }> {
  const first = await answered(asking, question, prompt);
  try {
    return { reply: parse(first.text), spent: first.spent };
  } catch (error) {
    if (!isKind(error, 'llm_unparseable')) throw error;
    const again = await answered(
      asking,
      { ...question, batchId: idOf(question.batchId, 'repair') },
      repairReplyPrompt(prompt, first.text),
    );
    const spent = { ...addSpent(first.spent, again.spent), model: asking.model.name };
    return { reply: parsedOrSpent(() => parse(again.text), spent), spent };
  }
}

/** What an unreadable answer cost travels with its failure, so that a caller who goes on can tell it. */
function parsedOrSpent<Reply>(parse: () => Reply, spent: Spent): Reply {
  try {
    return parse();
  } catch (error) {
    if (!isKind(error, 'llm_unparseable')) throw error;
    throw new EngraphError('llm_unparseable', error.message, { cause: error, details: { ...error.details, spent } });
  }
}

async function answered<Input>(
  asking: Asking,
  question: Question,
  prompt: Prompt<Input>,
): Promise<{ text: string; spent: Spent }> {
  const { drafts, model } = asking;
  const { space, batchId, signal } = question;
  const longerId = idOf(batchId, 'longer');
  // An attempt repeated after the longer answer was bought must not buy the one that was cut off again.
  const bought = await drafts.find(space, longerId, signal === undefined ? {} : { signal });
  if (bought?.reply === undefined) {
    try {
      return await once(asking, question, prompt);
    } catch (error) {
      if (!isKind(error, 'llm_truncated')) throw error;
    }
  }
  const longer = await once(asking, { ...question, batchId: longerId }, longerReplyPrompt(prompt));
  const cut = await drafts.find(space, batchId);
  const spent = addSpent(longer.spent, cut ? spentBy(question.buyer, cut) : NOTHING_SPENT);
  return { text: longer.text, spent: { ...spent, model: model.name } };
}

async function once<Input>(
  { model, drafts }: Asking,
  question: Question,
  prompt: Prompt<Input>,
): Promise<{ text: string; spent: Spent }> {
  const { space, batchId, attempt, buyer, signal } = question;
  const abortable = signal === undefined ? {} : { signal };
  const begun = await drafts.begin(space, batchId, {
    prompt: prompt.name,
    model: model.name,
    ...(attempt !== undefined && { attempt }),
    buyer,
    ...abortable,
  });
  if (begun.reply !== undefined) return { text: begun.reply, spent: { ...spentBy(buyer, begun), model: begun.model } };
  let completion;
  try {
    completion = await model.complete(prompt, abortable);
  } catch (error) {
    await drafts.fail(space, batchId, { usage: usageOf(error) });
    throw error;
  }
  const kept = await drafts.answer(space, batchId, { reply: completion.text, usage: completion.usage });
  return { text: kept.reply ?? completion.text, spent: { ...spentOn(kept), model: model.name } };
}

/** What the answer cost this one who asks. */
const spentBy = (buyer: string | undefined, draft: Draft): Totals =>
  buyer !== undefined && draft.buyer !== undefined && draft.buyer !== buyer ? NOTHING_SPENT : spentOn(draft);

/** Requests that ended, and one for each call that got lost with a process: that one may have been answered and paid for. */
function spentOn({ begun, failed, reply, usage }: Draft): Totals {
  const lost = Math.max(0, begun - failed - (reply === undefined ? 0 : 1));
  return { calls: usage.calls + lost, inputTokens: usage.inputTokens, outputTokens: usage.outputTokens };
}

/** What a failed call cost, as far as the adapter knows; a request that was sent counts as one. */
function usageOf(error: unknown): Usage {
  const usage = error instanceof EngraphError ? (error.details['usage'] as Partial<Usage> | undefined) : undefined;
  return { calls: usage?.calls ?? 1, inputTokens: usage?.inputTokens ?? 0, outputTokens: usage?.outputTokens ?? 0 };
}

const isKind = (error: unknown, kind: EngraphError['kind']): error is EngraphError =>
  error instanceof EngraphError && error.kind === kind;
