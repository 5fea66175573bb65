import type { ExecuteOutcome } from '../src/domain/agent.js';
import { idOf } from '../src/domain/id.js';
import type { JsonObject } from '../src/domain/json.js';
import { addSpent, NOTHING_SPENT, type Spent } from '../src/domain/refinement.js';
import { ToolFailure, type ToolResult, type Tools, type ToolSession } from '../src/ports/tools.js';
import { answerPrompt, parseAnswerOrCall } from '../src/prompts/answer.js';
import type { AnswerReply, ToolReply, ToolUse } from '../src/prompts/inputs.js';
import { ask, type Asking } from './asking.js';
import { answerInput, costOf, outcomeOf } from './chat-outcome.js';
import type { ChatInput } from './contract.js';
import { questionOf } from './language.js';

/** Calls of tools in one round at most, refused ones included: one more model call than that. */
const MOST_CALLS = 5;

/**
 * Answers with the help of a tool server: asks the model, does the call it wants, shows it the result, until it answers or the
 * calls are used up. Each of the model's replies is kept under its own batch id before it is acted on, so a repeated attempt
 * goes the same way without buying them again; it repeats the calls, each under the same idempotency key. A tool that fails, or
 * a server that can't be reached, ends the round as failed with fault `tool`: memory is then not edited.
 */
export async function answerWithTools(
  deps: Asking & { readonly tools: Tools },
  input: ChatInput,
  server: string,
  signal: AbortSignal,
): Promise<ExecuteOutcome> {
  let spent: Spent = { ...NOTHING_SPENT, model: deps.model.name };
  let session: ToolSession | undefined;
  try {
    session = await deps.tools.open(server, { signal });
    const offered = await session.list({ signal });
    const uses: ToolUse[] = [];
    for (;;) {
      const tools = { offered, uses: [...uses], left: MOST_CALLS - uses.length };
      const question = questionOf(input, uses.length === 0 ? 'answer' : `answer ${uses.length}`, signal);
      const asked = await ask(deps, question, answerPrompt({ ...answerInput(input), tools }), parseAnswerOrCall);
      spent = { ...addSpent(spent, asked.spent), model: asked.spent.model };
      const { reply } = asked;
      if (!isCall(reply)) return outcomeOf(input, reply, spent);
      if (tools.left === 0)
        return {
          ...costOf(spent),
          action: '',
          status: 'failed',
          feedback: `no answer after ${MOST_CALLS} calls of tools: ${input.instruction}`,
        };
      const called = await callTool(
        session,
        reply,
        idOf('tool call', input.space, input.taskId, input.step, input.round, uses.length),
        signal,
      );
      uses.push({ tool: reply.tool, arguments: textOf(reply.arguments), ...called });
    }
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    return { ...costOf(spent), action: '', status: 'failed', fault: 'tool', feedback: error.message };
  } finally {
    await session?.close();
  }
}

const isCall = (reply: AnswerReply | ToolReply): reply is ToolReply => 'tool' in reply;

async function callTool(
  session: ToolSession,
  { tool, arguments: given }: ToolReply,
  idempotencyKey: string,
  signal: AbortSignal,
): Promise<ToolResult> {
  const args = objectIn(given);
  if (args === undefined) return { outcome: 'refused', text: 'the arguments are not a JSON object' };
  return await session.call(tool, args, { idempotencyKey, signal });
}

/** Arguments as an object, given as one or as its JSON text; undefined for anything else. */
function objectIn(given: unknown): JsonObject | undefined {
  if (typeof given === 'string') {
    let parsed: unknown;
    try {
      parsed = JSON.parse(given);
    } catch {
      return undefined;
    }
    return typeof parsed === 'string' ? undefined : objectIn(parsed);
  }
  return typeof given === 'object' && given !== null && !Array.isArray(given) ? (given as JsonObject) : undefined;
}

const textOf = (given: unknown): string => (typeof given === 'string' ? given : JSON.stringify(given));
