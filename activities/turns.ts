import type { Text } from '../src/domain/claim.js';
import type { JsonObject } from '../src/domain/json.js';
import { isRead } from '../src/domain/turn.js';
import type { CallOptions } from '../src/ports/vector-store.js';
import type { Texts } from '../src/store/texts.js';
import type { TurnStore, TurnToStore } from '../src/store/turns.js';
import type { ConversationActivities, NewTurn, StoreTurnsInput } from './contract-conversation.js';
import { working } from './failures.js';

export interface TurnDeps {
  readonly turns: TurnStore;
  readonly texts: Texts;
  readonly now: () => Date;
}

/** The activities by which a conversation's turns become durable; the matter of each is in `TurnStore`. */
export function createTurnActivities({
  turns,
  texts,
  now,
}: TurnDeps): Pick<ConversationActivities, 'openConversation' | 'storeTurns'> {
  const textOf = async (space: string, text: Text, options: CallOptions): Promise<string> =>
    'engraph:ref' in text ? await texts.read(space, text['engraph:ref'], options) : text['engraph:claim'].text;

  const whole = async ({ space, read }: StoreTurnsInput, turn: NewTurn, options: CallOptions): Promise<TurnToStore> => {
    const { text, metadata, ...rest } = turn;
    return {
      ...rest,
      text: await textOf(space, text, options),
      ...(metadata !== undefined && { metadata: JSON.parse(await textOf(space, metadata, options)) as JsonObject }),
      indexed: isRead(turn.role, read),
    };
  };

  return {
    openConversation: ({ space, conversation }) =>
      working(async (signal) => ({ nextSequence: await turns.nextSequence(space, conversation, { signal }) })),
    storeTurns: (input) =>
      working(async (signal) => {
        const { space, conversation, by } = input;
        const given = await Promise.all(input.turns.map((turn) => whole(input, turn, { signal })));
        const kept = await turns.store(given, { space, conversation, by, recordedAt: now().toISOString(), signal });
        return { turns: kept.map((turn, at) => ({ ...turn, isRead: given[at]?.indexed ?? false })) };
      }),
  };
}
