import assert from 'node:assert/strict';

import { OpenAiChatModel } from '../../src/adapters/openai-chat.js';
import { OpenAiEmbedder } from '../../src/adapters/openai-embedder.js';
import type { EngraphError } from '../../src/domain/failure.js';
import { letterVector } from '../support/letter-vector.js';
import { anAnswerPrompt, VALID_ANSWER } from '../support/prompts.js';
import { chatReply, embeddings, withScriptedOpenAi } from '../support/scripted-openai.js';

describe('O10 · a server of one’s own', () => {
  for (const [what, slash, key] of [
    ['without a key', '', {}],
    ['without a key, its URL with a slash at the end', '/', {}],
    ['with an empty key', '/', { apiKey: '' }],
  ] as const) {
    it(`is asked at its two paths and nowhere else, ${what}`, async () => {
      const script = { chat: [chatReply(VALID_ANSWER)], embed: embeddings(letterVector) };
      await withScriptedOpenAi(script, async (server) => {
        const endpoint = { baseUrl: server.baseUrl + slash, model: 'm', ...key };
        await new OpenAiChatModel(endpoint).complete(anAnswerPrompt());
        await new OpenAiEmbedder({ ...endpoint, dimension: 26 }).embed(['a']);
        assert.deepEqual(
          server.requests.map(({ path }) => path),
          ['/v1/chat/completions', '/v1/embeddings'],
        );
        for (const { headers } of server.requests) assert.equal(headers.authorization, undefined);
      });
    });
  }

  it('that is not named fails with config when there is no key either, before anything is sent', () => {
    for (const open of [
      () => new OpenAiChatModel({ model: 'm' }),
      () => new OpenAiEmbedder({ model: 'm', apiKey: ' ', dimension: 26 }),
    ]) {
      assert.throws(open, (error: EngraphError) => {
        assert.equal(error.kind, 'config');
        for (const part of ['OPENAI_BASE_URL', 'OPENAI_API_KEY', 'API key'])
          assert.ok(error.message.includes(part), error.message);
        return true;
      });
    }
  });

  it('fails with config where its URL is none, or holds a password, which is not shown', () => {
    for (const baseUrl of ['localhost:8080', 'ftp://127.0.0.1/v1', 'http://me:secret@127.0.0.1/v1']) {
      assert.throws(
        () => new OpenAiChatModel({ baseUrl, model: 'm' }),
        (error: EngraphError) => error.kind === 'config' && !error.message.includes('secret'),
      );
    }
  });
});
