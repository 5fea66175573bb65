import type { ConversationActivities, SenseInput, Sensed } from '../../activities/contract-conversation.js';
import { OpenAiChatModel } from '../../src/adapters/openai-chat.js';
import type { ConversationSettings, ConversationStatus } from '../../src/domain/conversation.js';
import { idOf } from '../../src/domain/id.js';
import type { Message } from '../../src/domain/message.js';
import { withEngraph, type Scene, type Stage } from './environment.js';
import { withScriptedOpenAi, type Script, type ScriptedOpenAi } from './scripted-openai.js';

/** What a user said on 5 January 2024. */
export const said = (content: string, more: Partial<Message> = {}): Message => ({
  role: 'user',
  content,
  at: '2024-01-05T10:00:00Z',
  ...more,
});

/** The whole buffer as one topic: for cases that are not about topics, in a space of words without an ONNX model. */
const oneTopic: Pick<ConversationActivities, 'senseTopics'> = {
  senseTopics: ({ turns, batchId }: SenseInput): Promise<Sensed> =>
    Promise.resolve({ segments: turns.length === 0 ? [] : [{ turns, joins: null, topicId: idOf('topic', batchId) }], rest: [] }),
};

/** Runs the body beside workers whose language model is a scripted OpenAI-compatible server. */
export async function withIngest(
  chat: Script,
  body: (stage: Stage, server: ScriptedOpenAi) => Promise<void>,
  scene: Scene = {},
): Promise<void> {
  await withScriptedOpenAi({ chat }, async (server) => {
    const model = new OpenAiChatModel({ baseUrl: server.baseUrl, model: 'm' });
    await withEngraph({ model, ...scene, activities: { ...oneTopic, ...scene.activities } }, (stage) => body(stage, server));
  });
}

/** Remembers these messages and waits until they are extracted or parked. */
export async function ingest(
  { client }: Stage,
  space: string,
  messages: readonly Message[],
  { conversation = 's1', ...settings }: { conversation?: string } & Partial<ConversationSettings> = {},
): Promise<ConversationStatus> {
  await client.remember(space, conversation, messages, { settings: { compression: 'none', ...settings } });
  return await client.conversation(space, conversation).flush();
}

/** The user's message of each request that the server got. */
export const asked = ({ requests }: ScriptedOpenAi): string[] =>
  requests.map(
    ({ body }) =>
      (body['messages'] as readonly { role: string; content: string }[]).find(({ role }) => role === 'user')?.content ?? '',
  );
