import { OpenAiEmbedder } from '../../src/adapters/openai-embedder.js';
import { letterVector } from '../support/letter-vector.js';
import { embeddings, ScriptedOpenAi } from '../support/scripted-openai.js';
import { describeEmbedder } from './embedder.js';

describe('OpenAiEmbedder against a scripted server', () => {
  let server: ScriptedOpenAi;
  before(async () => void (server = await ScriptedOpenAi.start({ embed: embeddings(letterVector) })));
  after(async () => await server.close());
  describeEmbedder(
    'OpenAiEmbedder',
    async () => new OpenAiEmbedder({ baseUrl: server.baseUrl, model: 'letters', dimension: 26 }),
  );
});
