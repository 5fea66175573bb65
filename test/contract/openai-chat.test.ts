import { OpenAiChatModel } from '../../src/adapters/openai-chat.js';
import { chatReply, ScriptedOpenAi, type SeenRequest } from '../support/scripted-openai.js';
import { describeLanguageModel } from './language-model.js';

const REPLIES: Readonly<Record<string, object>> = {
  answer: { answer: '1932', cited: [1], known: true },
  attribution: { reason: 'r', fault: 'noise', edits: [{ edit: 'prune', nodes: [1] }] },
  relevance: { scores: [{ n: 1, score: 1 }] },
  reshape: { text: 'The harbour bridge was opened in 1932.' },
  judgement: { reason: 'r', success: true, feedback: '' },
};

const nameOf = ({ body }: SeenRequest): string => (body['response_format'] as { json_schema: { name: string } }).json_schema.name;

describe('OpenAiChatModel against a scripted server', () => {
  let server: ScriptedOpenAi;
  before(
    async () =>
      void (server = await ScriptedOpenAi.start({ chat: (request) => chatReply(JSON.stringify(REPLIES[nameOf(request)])) })),
  );
  after(async () => await server.close());
  describeLanguageModel('OpenAiChatModel', async () => new OpenAiChatModel({ baseUrl: server.baseUrl, model: 'scripted' }));
});
