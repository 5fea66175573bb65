import type { ExecuteOutcome } from '../src/domain/agent.js';
import { parseContext } from '../src/domain/context.js';
import type { Spent } from '../src/domain/refinement.js';
import type { AnswerInput, AnswerReply } from '../src/prompts/inputs.js';
import type { ChatInput } from './contract.js';

/** What the agent's question is made of. */
export function answerInput({ instruction, observation, feedback, history, context }: ChatInput): AnswerInput {
  return { instruction, observation, history, memories: parseContext(context), ...(feedback !== undefined && { feedback }) };
}

/** An answer as the outcome of a round. */
export function outcomeOf({ instruction }: ChatInput, { answer, known, cited }: AnswerReply, spent: Spent): ExecuteOutcome {
  return {
    action: answer,
    status: known ? 'succeeded' : 'failed',
    ...(!known && { feedback: `none of the memories shown answers this: ${instruction}` }),
    cited,
    ...costOf(spent),
  };
}

/** The part of an outcome that tells which model answered and what it took. */
export function costOf({ calls, inputTokens, outputTokens, model }: Spent): Pick<ExecuteOutcome, 'model' | 'usage'> {
  return { model, usage: { calls, inputTokens, outputTokens } };
}
