import assert from 'node:assert/strict';

import { OpenAiChatModel } from '../../src/adapters/openai-chat.js';
import { anAnswerPrompt, VALID_ANSWER } from '../support/prompts.js';
import {
  chatReply,
  errorReply,
  withScriptedOpenAi,
  type Answer,
  type ScriptedOpenAi,
  type SeenRequest,
} from '../support/scripted-openai.js';

function newModel({ body }: SeenRequest): Answer {
  if ('max_tokens' in body) {
    return errorReply(400, { code: 'unsupported_parameter', param: 'max_tokens', message: 'use max_completion_tokens' });
  }
  if (body['temperature'] !== undefined && body['temperature'] !== 1) {
    return errorReply(400, { code: 'unsupported_value', param: 'temperature', message: 'only 1' });
  }
  return chatReply(VALID_ANSWER);
}

const isRefused = ({ body }: SeenRequest): boolean => 'max_tokens' in body || 'temperature' in body;
/** Each test has a model of its own, since lessons are kept for the life of the process. */
const open = (server: ScriptedOpenAi, model = 'newmini-5'): OpenAiChatModel =>
  new OpenAiChatModel({ baseUrl: server.baseUrl, model });

describe('O09 · a model that refuses max_tokens and a temperature', () => {
  it('is asked as it wants after two refused requests, and never refuses again in the process', async () => {
    await withScriptedOpenAi({ chat: newModel }, async (server) => {
      assert.deepEqual((await open(server).complete(anAnswerPrompt())).usage.calls, 3);
      assert.equal(server.requests.filter(isRefused).length, 2);
      const { body } = server.requests[2] as SeenRequest;
      assert.ok('max_completion_tokens' in body && !('temperature' in body));
      assert.equal((await open(server).complete(anAnswerPrompt())).usage.calls, 1);
      assert.equal(server.requests.filter(isRefused).length, 2);
    });
  });

  it('refuses no more than two of many requests that begin at once', async () => {
    await withScriptedOpenAi({ chat: newModel }, async (server) => {
      await Promise.all(Array.from({ length: 8 }, async () => await open(server, 'newmini-6').complete(anAnswerPrompt())));
      assert.equal(server.requests.filter(isRefused).length, 2);
      assert.equal(server.requests.length, 10);
    });
  });

  it('has taught its lesson even where the first call then fails, and the next is sent as it wants', async () => {
    let failed = false;
    const chat = (request: SeenRequest): Answer => {
      if (isRefused(request) || failed) return newModel(request);
      failed = true;
      return errorReply(500, {});
    };
    await withScriptedOpenAi({ chat }, async (server) => {
      await assert.rejects(open(server, 'newmini-7').complete(anAnswerPrompt()), { kind: 'llm_unavailable' });
      await open(server, 'newmini-7').complete(anAnswerPrompt());
      assert.equal(server.requests.filter(isRefused).length, 2);
    });
  });
});
