import type { Prompt } from '../ports/language-model.js';
import { beginning, block } from './block.js';

/** A reply that went wrong is shown only as far as its form can be seen. */
const SHOWN_CHARACTERS = 2_000;

/**
 * The one repair request after an unreadable reply: the same question again, with the reply that could not be read as data.
 * Its answer is read by the first prompt's own parser.
 */
export function repairReplyPrompt<Input>(prompt: Prompt<Input>, badReply: string): Prompt<Input> {
  return {
    ...prompt,
    name: 'repair_reply',
    user: `${prompt.user}\n${block('unreadable_reply', beginning(badReply, SHOWN_CHARACTERS))}\nYour reply above could not be read. Reply again, with the JSON object in the form asked for and nothing before or after it.`,
  };
}

/**
 * The same question with room for a reply four times as long, for one more request after `llm_truncated` (case O06): a
 * reasoning model spends the same limit on its thoughts.
 */
export const longerReplyPrompt = <Input>(prompt: Prompt<Input>): Prompt<Input> => ({
  ...prompt,
  maxTokens: 4 * prompt.maxTokens,
});
