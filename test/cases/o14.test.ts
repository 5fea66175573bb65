import assert from 'node:assert/strict';

import { OpenAiChatModel } from '../../src/adapters/openai-chat.js';
import { OpenAiEmbedder } from '../../src/adapters/openai-embedder.js';
import type { Json } from '../../src/domain/json.js';
import { repairReplyPrompt } from '../../src/prompts/repair-reply.js';
import { EVERY_PROMPT } from '../contract/language-model.js';
import { letterVector } from '../support/letter-vector.js';
import { anAnswerPrompt, VALID_ANSWER } from '../support/prompts.js';
import { chatReply, embeddings, withScriptedOpenAi } from '../support/scripted-openai.js';

const strings = (value: Json): string[] =>
  typeof value === 'string' ? [value] : typeof value === 'object' && value !== null ? Object.values(value).flatMap(strings) : [];

describe('O14 · text cut amid a surrogate pair', () => {
  it('never leaves in a body: each string sent is well-formed, whatever the text and wherever it is cut', async () => {
    const texts = ['', 'x', 'xx', 'xxx'].map((prefix) => prefix + 'ab🔥'.repeat(3_000));
    await withScriptedOpenAi({ chat: () => chatReply(VALID_ANSWER), embed: embeddings(letterVector) }, async (server) => {
      const model = new OpenAiChatModel({ baseUrl: server.baseUrl, model: 'm' });
      const embedder = new OpenAiEmbedder({ baseUrl: server.baseUrl, model: 'm', dimension: 26 });
      for (const text of [...texts, ...texts.map((whole) => whole.slice(0, 999)), '🔥'.slice(1)]) {
        await model.complete(anAnswerPrompt(text));
        await model.complete(repairReplyPrompt(anAnswerPrompt(text), text));
        await model.complete({ ...(EVERY_PROMPT[0] as (typeof EVERY_PROMPT)[0])[0], user: text });
        await embedder.embed([text, '🔥']);
      }
      assert.equal(server.requests.length, 9 * 4);
      for (const { body } of server.requests) for (const text of strings(body as Json)) assert.ok(text.isWellFormed());
    });
  });
});
