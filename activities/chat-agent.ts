import type { ExecuteInput, ExecuteOutcome } from '../src/domain/agent.js';
import { parseContext } from '../src/domain/context.js';
import { answerPrompt, parseAnswer } from '../src/prompts/answer.js';
import { ask, type Asking } from './asking.js';
import { working } from './failures.js';
import { questionOf } from './language.js';

/**
 * The built-in agent: answers from its context in one model call and cites the memories it used by their numbers. It says
 * `succeeded` when it has an answer and `failed` when its memories hold none; whether an answer is right is the judge's to say.
 */
export function createChatAgent(asking: Asking): { execute(input: ExecuteInput): Promise<ExecuteOutcome> } {
  return {
    execute: (input) =>
      working(async (signal) => {
        const { instruction, observation, feedback, history, context } = input;
        const memories = parseContext(context);
        const prompt = answerPrompt({ instruction, observation, history, memories, ...(feedback !== undefined && { feedback }) });
        const { reply, spent } = await ask(asking, questionOf(input, 'answer', signal), prompt, parseAnswer);
        const { calls, inputTokens, outputTokens, model } = spent;
        return {
          action: reply.answer,
          status: reply.known ? 'succeeded' : 'failed',
          ...(!reply.known && { feedback: `none of the memories shown answers this: ${instruction}` }),
          cited: reply.cited,
          model,
          usage: { calls, inputTokens, outputTokens },
        };
      }),
  };
}
