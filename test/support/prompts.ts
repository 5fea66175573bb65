import type { AnswerInput } from '../../src/prompts/inputs.js';
import type { Prompt } from '../../src/ports/language-model.js';
import { answerPrompt } from '../../src/prompts/answer.js';

/** A question of the chat agent, with one memory. */
export const anAnswerPrompt = (text = 'The user likes oolong tea.'): Prompt<AnswerInput> =>
  answerPrompt({
    instruction: 'Which tea does the user like?',
    observation: '',
    history: [],
    memories: [{ n: 1, id: 'a', kind: 'semantic', title: 'notes', text }],
  });

/** A reply that `parseAnswer` reads. */
export const VALID_ANSWER = '{"answer": "oolong", "cited": [1], "known": true}';
