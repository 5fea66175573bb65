import assert from 'node:assert/strict';

import { OpenAiEmbedder } from '../../src/adapters/openai-embedder.js';
import { dot, unit } from '../../src/domain/vector.js';
import { embeddings, withScriptedOpenAi, type Encoding } from '../support/scripted-openai.js';

const SENT = Array.from({ length: 384 }, (_, at) => (at + 1) / 384);

describe('O12 · embeddings as floats or in base64', () => {
  for (const encoding of ['floats', 'as asked', 'base64'] satisfies Encoding[]) {
    it(`arrive whole from a server that gives them ${encoding === 'as asked' ? encoding : `as ${encoding} whatever is asked`}`, async () => {
      await withScriptedOpenAi({ embed: embeddings(() => SENT, encoding) }, async (server) => {
        const embedder = new OpenAiEmbedder({ baseUrl: server.baseUrl, model: 'm', dimension: 384 });
        const [vector] = (await embedder.embed(['rows at dawn'])) as [number[]];
        assert.equal(vector.length, 384);
        assert.ok(dot(vector, unit(SENT)) >= 0.99999);
        assert.ok(Math.abs((vector[0] as number) / (vector[383] as number) - 1 / 384) < 1e-6);
      });
    });
  }
});
