import assert from 'node:assert/strict';

import { OpenAiChatModel } from '../../src/adapters/openai-chat.js';
import type { EngraphError } from '../../src/domain/failure.js';
import { anAnswerPrompt, VALID_ANSWER } from '../support/prompts.js';
import { chatReply, withScriptedOpenAi } from '../support/scripted-openai.js';

const EMPTY = { body: { choices: [], error: { message: 'upstream overloaded', code: 502 } } };

describe('O05 · an empty list of choices', () => {
  it('is a failure that passes and names the upstream error, and the next request is answered', async () => {
    await withScriptedOpenAi({ chat: [EMPTY, chatReply(VALID_ANSWER)] }, async (server) => {
      const model = new OpenAiChatModel({ baseUrl: server.baseUrl, model: 'm' });
      await assert.rejects(model.complete(anAnswerPrompt()), (error: EngraphError) => {
        assert.equal(error.kind, 'llm_no_choices');
        assert.equal(error.retryable, true);
        assert.match(error.message, /upstream overloaded/u);
        return true;
      });
      assert.equal((await model.complete(anAnswerPrompt())).text, VALID_ANSWER);
      assert.equal(server.requests.length, 2);
    });
  });
});
