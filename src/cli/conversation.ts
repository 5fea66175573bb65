import type { ConversationHandle } from '../conversation-handle.js';
import type { ConversationStatus } from '../domain/conversation.js';
import { checkConversationName } from '../domain/conversation.js';
import { checkSpace } from '../domain/space.js';
import { spaceOption } from './arguments.js';
import { withClient } from './memory.js';
import type { AddCommand } from './session.js';

const DEEDS = [
  {
    name: 'status',
    description: 'buffers, batches, what is parked and why, what model calls cost',
    ask: (handle: ConversationHandle) => handle.status(),
  },
  {
    name: 'flush',
    description: 'wait until facts are extracted from everything said so far',
    ask: (handle: ConversationHandle) => handle.flush(),
  },
  {
    name: 'close',
    description: 'flush, then end its workflow; remembering more starts it anew',
    ask: (handle: ConversationHandle) => handle.close(),
  },
] as const;

/** `engraph conversation status|flush|close NAME`. */
export const addConversation: AddCommand = (program, act) => {
  const conversations = program.command('conversation').description('see and steer one conversation');
  for (const { name, description, ask } of DEEDS) {
    conversations
      .command(name)
      .description(description)
      .argument('<name>', 'the conversation')
      .addOption(spaceOption())
      .action(
        act<{ space: string }>(async (session, { space }, conversation) => {
          checkSpace(space);
          checkConversationName(conversation);
          const status = await withClient(session, 'read', (client) => ask(client.conversation(space, conversation as string)));
          session.output.result({ space, conversation, ...status }, () => inWords(status));
        }),
      );
  }
};

function inWords(status: ConversationStatus): string {
  const { sensory, shortTerm, spent, models } = status;
  return [
    `${status.turns} turns stored${status.storing > 0 ? `, ${status.storing} being stored` : ''}`,
    `sensory buffer: ${sensory.turns} turns, ${sensory.tokens} tokens`,
    `open topics: ${shortTerm.topics}, with ${shortTerm.turns} turns, ${shortTerm.tokens} tokens`,
    `${status.batches} batches extracted: ${status.facts} facts, ${status.summaries} summaries`,
    ...(status.parked > 0
      ? [
          `${status.parked} batches parked: ${status.parkedBatches.map(({ kind, turns }) => `${turns} turns (${kind})`).join(', ')}`,
        ]
      : []),
    ...(status.reconciled + status.unreconciled > 0
      ? [`${status.reconciled} update queues applied, ${status.unreconciled} left to the next sleep`]
      : []),
    ...(status.unsegmented > 0 ? [`${status.unsegmented} pieces not cut into topics: segmentation failed`] : []),
    `${spent.calls} model calls, ${spent.inputTokens} tokens in, ${spent.outputTokens} out${models.length > 0 ? ` (${models.join(', ')})` : ''}`,
  ].join('\n');
}
