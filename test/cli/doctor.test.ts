import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Check } from '../../src/cli/doctor.js';
import { EXIT } from '../../src/cli/exit-codes.js';
import { engraph } from '../support/command-line.js';
import { EMBEDDING } from '../support/points.js';
import { newPrefix, qdrantForTests } from '../support/qdrant.js';
import { QdrantProxy } from '../support/qdrant-proxy.js';
import { ScriptedOpenAi } from '../support/scripted-openai.js';

const KEY = 'sk-test-0123456789abcdef';

describe('engraph doctor', function () {
  this.timeout(60_000);
  let home: string;
  beforeEach(async () => void (home = await mkdtemp(join(tmpdir(), 'engraph-doctor-'))));
  afterEach(async () => await rm(home, { recursive: true, force: true }));

  const examined = async (env: NodeJS.ProcessEnv): Promise<{ code: number; said: string; checks: readonly Check[] }> => {
    const { code, out, err } = await engraph(['doctor', '--json', '--home', home], env);
    return { code, said: out + err, checks: (JSON.parse(out) as { checks: Check[] }).checks };
  };
  const named = (checks: readonly Check[], name: string) => checks.find((check) => check.name === name);

  it('names what is missing with the way out, and makes nothing', async () => {
    const { code, checks } = await examined({});
    assert.equal(code, EXIT.failed);
    const server = named(checks, 'Temporal server');
    assert.equal(server?.state, 'missing');
    assert.match(server.found, /`engraph dev`/u);
    assert.equal(named(checks, 'store')?.state, 'later');
    assert.deepEqual(await readdir(home), []);
  });

  it('says in plain words that no LLM serves', async () => {
    const { out } = await engraph(['doctor', '--home', home]);
    assert.match(out, /language model\s+rules: no LLM at all/u);
    assert.match(out, /ok\s+language model\s+rules \(no LLM\)/u);
  });

  it('asks the model endpoint, and prints no key', async () => {
    const server = await ScriptedOpenAi.start({
      models: [{ body: { object: 'list', data: [{ id: 'mini', object: 'model' }] } }],
    });
    try {
      const { said, checks } = await examined({
        OPENAI_BASE_URL: server.baseUrl,
        OPENAI_API_KEY: KEY,
        ENGRAPH_CHAT_MODEL: 'mini',
      });
      assert.equal(named(checks, 'language model')?.state, 'ok');
      assert.match(named(checks, 'language model')?.found ?? '', /mini at http:\/\/127.*it answers$/u);
      assert.ok(!said.includes(KEY), 'the key is printed');
    } finally {
      await server.close();
    }
  });

  it('tells a refused key and an endpoint that is not there', async () => {
    const server = await ScriptedOpenAi.start({
      models: [{ status: 401, body: { error: { code: 'invalid_api_key', message: `wrong key ${KEY}` } } }],
    });
    const base = server.baseUrl;
    const refused = await examined({ OPENAI_BASE_URL: base, OPENAI_API_KEY: KEY });
    assert.match(named(refused.checks, 'language model')?.found ?? '', /llm_auth/u);
    assert.ok(!refused.said.includes(KEY), 'the key is printed');
    await server.close();
    const gone = await examined({ OPENAI_BASE_URL: base });
    assert.match(named(gone.checks, 'language model')?.found ?? '', /could not be reached.*llm_unavailable/u);
    assert.equal(gone.code, EXIT.failed);
  });

  it('tells the address of Qdrant, its version beside the client, and the collection, without the key', async () => {
    const qdrant = await qdrantForTests();
    const prefix = newPrefix();
    const proxy = await QdrantProxy.start(qdrant.url, '/qdrant');
    const env = {
      QDRANT_URL: `${proxy.origin}/qdrant/`,
      QDRANT_API_KEY: qdrant.apiKey ?? KEY,
      ENGRAPH_COLLECTION_PREFIX: prefix,
      // Nothing embeds, so what the collection was made with is not compared.
      ENGRAPH_EMBEDDER: 'openai',
      OPENAI_BASE_URL: `${proxy.origin}/none`,
    };
    try {
      const before = await examined(env);
      assert.match(
        named(before.checks, 'Qdrant server')?.found ?? '',
        /^Qdrant \d+\.\d+\.\d+ answers at http:\/\/127.*\/qdrant, client 1\./u,
      );
      assert.equal(named(before.checks, 'store')?.state, 'later');
      assert.deepEqual(await qdrant.collections(prefix), [], 'the doctor made a collection');
      const store = qdrant.open(prefix);
      await store.ensure(EMBEDDING);
      await store.close();
      assert.match(
        named((await examined(env)).checks, 'store')?.found ?? '',
        new RegExp(`collection ${prefix}--test-model-4-`, 'u'),
      );
      proxy.fault = ({ path }) => {
        const body = JSON.stringify({ title: 'qdrant - vector search engine', version: '1.21.0' });
        return path === '/qdrant/' ? { status: 200, headers: { 'content-type': 'application/json' }, body } : undefined;
      };
      assert.match(named((await examined(env)).checks, 'Qdrant server')?.found ?? '', /1\.21\.0.*more than one minor version/u);
      proxy.fault = () => ({ status: 403, body: 'forbidden' });
      const refused = await examined(env);
      assert.equal(named(refused.checks, 'store')?.state, 'missing');
      assert.match(named(refused.checks, 'store')?.found ?? '', /403.*QDRANT_API_KEY/u);
      for (const { said } of [before, refused]) assert.ok(!said.includes(env.QDRANT_API_KEY), 'the key is printed');
    } finally {
      await proxy.stop();
      await qdrant.stop();
    }
  });
});
