import { log } from '@temporalio/activity';

import type { ExecuteOutcome } from '../src/domain/agent.js';
import type { Tools } from '../src/ports/tools.js';
import { answerPrompt, parseAnswer } from '../src/prompts/answer.js';
import { answerWithTools } from './answering-with-tools.js';
import { ask, type Asking } from './asking.js';
import { answerInput, outcomeOf } from './chat-outcome.js';
import type { ChatInput } from './contract.js';
import { working } from './failures.js';
import { questionOf } from './language.js';

/**
 * The built-in agent: answers from its context in one model call and cites the memories it used by their numbers; with a tool
 * server named, it may call tools before it answers. It says `succeeded` when it has an answer and `failed` when its memories
 * hold none; whether an answer is right is the judge's to say. The rules model uses no tools, and the outcome says so.
 */
export function createChatAgent(deps: Asking & { readonly tools: Tools }): {
  execute(input: ChatInput): Promise<ExecuteOutcome>;
} {
  return {
    execute: (input) =>
      working(async (signal) => {
        if (input.mcp !== undefined && deps.model.isLanguageModel) return await answerWithTools(deps, input, input.mcp, signal);
        const { reply, spent } = await ask(
          deps,
          questionOf(input, 'answer', signal),
          answerPrompt(answerInput(input)),
          parseAnswer,
        );
        const outcome = outcomeOf(input, reply, spent);
        if (input.mcp === undefined) return outcome;
        const observation = `${deps.model.name} uses no tools: "${input.mcp}" was not asked`;
        log.warn(observation, { taskId: input.taskId });
        return { ...outcome, observation };
      }),
  };
}
