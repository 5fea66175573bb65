import assert from 'node:assert/strict';

import { OpenAiChatModel } from '../../src/adapters/openai-chat.js';
import type { EngraphError } from '../../src/domain/failure.js';
import { longerReplyPrompt } from '../../src/prompts/repair-reply.js';
import { anAnswerPrompt, VALID_ANSWER } from '../support/prompts.js';
import { chatReply, withScriptedOpenAi } from '../support/scripted-openai.js';

describe('O06 · a reply that ran into the length limit', () => {
  const variants = {
    'a beginning and thousands of newlines': `{"answer": "ool",${'\n'.repeat(4_000)}`,
    'JSON that looks whole': VALID_ANSWER,
  };
  for (const [what, content] of Object.entries(variants)) {
    it(`is no answer when it is ${what}, and asked again it has more room`, async () => {
      const cut = chatReply(content, { finishReason: 'length' });
      await withScriptedOpenAi({ chat: [cut, chatReply(VALID_ANSWER), cut] }, async (server) => {
        const model = new OpenAiChatModel({ baseUrl: server.baseUrl, model: 'm' });
        const truncated = (error: EngraphError): boolean =>
          error.kind === 'llm_truncated' && error.details['finishReason'] === 'length';
        await assert.rejects(model.complete(anAnswerPrompt()), truncated);
        assert.equal((await model.complete(longerReplyPrompt(anAnswerPrompt()))).text, VALID_ANSWER);
        await assert.rejects(model.complete(longerReplyPrompt(anAnswerPrompt())), truncated);
        const [first, second] = server.requests.map(({ body }) => body['max_tokens'] as number);
        assert.ok((second as number) > (first as number));
      });
    });
  }
});
