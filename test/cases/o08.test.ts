import assert from 'node:assert/strict';

import { OpenAiChatModel } from '../../src/adapters/openai-chat.js';
import type { EngraphError } from '../../src/domain/failure.js';
import { anAnswerPrompt, VALID_ANSWER } from '../support/prompts.js';
import { chatReply, errorReply, withScriptedOpenAi } from '../support/scripted-openai.js';

const ANSWERS = {
  llm_quota: errorReply(429, { type: 'insufficient_quota', code: 'insufficient_quota', message: 'quota used up' }),
  llm_auth: errorReply(401, { code: 'invalid_api_key', message: 'bad key' }),
};

describe('O08 · an account without quota, or a key that is refused', () => {
  for (const [kind, answer] of Object.entries(ANSWERS)) {
    it(`is ${kind}, final after one request, and over once the account is in order`, async () => {
      await withScriptedOpenAi({ chat: [answer, chatReply(VALID_ANSWER)] }, async (server) => {
        const model = new OpenAiChatModel({ baseUrl: server.baseUrl, apiKey: 'k', model: 'm' });
        await assert.rejects(model.complete(anAnswerPrompt()), (error: EngraphError) => error.kind === kind && !error.retryable);
        assert.equal(server.requests.length, 1);
        assert.equal((await model.complete(anAnswerPrompt())).text, VALID_ANSWER);
      });
    });
  }
});
