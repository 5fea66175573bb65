import {
  checkConversationName,
  checkSettings,
  type CarriedConversation,
  type ConversationInput,
  type ConversationSettings,
} from './conversation.js';
import { checkSpace } from './space.js';

/** The input of `conversationWorkflow` with every default in its place; fails with `bad_space` or `validation`. Pure: others start workflows too. */
export function checkConversation(input: ConversationInput): {
  readonly space: string;
  readonly conversation: string;
  readonly settings: ConversationSettings;
  readonly carried?: CarriedConversation;
} {
  const { space, conversation, settings, carried } = (input ?? {}) as Partial<ConversationInput>;
  return {
    space: checkSpace(space),
    conversation: checkConversationName(conversation),
    settings: checkSettings(settings),
    ...(carried !== undefined && { carried }),
  };
}
