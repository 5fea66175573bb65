import assert from 'node:assert/strict';

import { OpenAiEmbedder } from '../../src/adapters/openai-embedder.js';
import { EngraphError } from '../../src/domain/failure.js';
import { letterVector } from '../support/letter-vector.js';
import { embeddings, errorReply, withScriptedOpenAi, type Answer } from '../support/scripted-openai.js';

async function failureFor(answer: Answer, dimension = 26): Promise<EngraphError> {
  let failure: unknown;
  await withScriptedOpenAi({ embed: [answer] }, async (server) => {
    failure = await new OpenAiEmbedder({ baseUrl: server.baseUrl, model: 'letters', dimension })
      .embed(['a', 'b'])
      .catch((error: unknown) => error);
    assert.equal(server.requests.length, 1);
  });
  assert.ok(failure instanceof EngraphError, String(failure));
  return failure;
}

const data = (...vectors: (readonly unknown[])[]): Answer => ({
  body: { data: vectors.map((embedding, index) => ({ index, embedding })) },
});

describe('OpenAiEmbedder', () => {
  it('names both sizes when the vectors are of another', async () => {
    const failure = await failureFor(data(letterVector('a'), letterVector('b')), 384);
    assert.equal(failure.kind, 'embedding_dimension');
    assert.match(failure.message, /26.*384/u);
  });

  it('fails rather than embed a text as nothing', async () => {
    for (const answer of [data(letterVector('a')), data([0, 0], [0, 0]), data([null], [null]), { body: {} }, 'drop'] as const) {
      const failure = await failureFor(answer, 2);
      assert.ok(['embedding_unavailable', 'embedding_dimension'].includes(failure.kind), failure.kind);
    }
  });

  it('tells failures of the account from those of the service', async () => {
    assert.equal((await failureFor(errorReply(401, {}))).kind, 'llm_auth');
    assert.equal((await failureFor(errorReply(429, { code: 'insufficient_quota' }))).kind, 'llm_quota');
    assert.equal((await failureFor(errorReply(429, {}, { 'retry-after': '3' }))).retryAfterMs, 3_000);
    const failure = await failureFor(errorReply(503, {}));
    assert.deepEqual([failure.kind, failure.retryable], ['embedding_unavailable', true]);
  });

  it('asks for floats in so many words, and for a size only where the model has several', async () => {
    await withScriptedOpenAi({ embed: embeddings(letterVector) }, async (server) => {
      for (const model of ['letters', 'text-embedding-3-small']) {
        await new OpenAiEmbedder({ baseUrl: server.baseUrl, model, dimension: 26 }).embed(['a']);
      }
      assert.deepEqual(
        server.requests.map(({ body }) => [body['encoding_format'], body['dimensions']]),
        [
          ['float', undefined],
          ['float', 26],
        ],
      );
    });
  });
});
