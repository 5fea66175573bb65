import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { loadConfig, type ConfigOverrides } from '../../src/config.js';
import { EngraphError } from '../../src/domain/failure.js';
import { describeConfig } from '../../src/setup/describe-config.js';

const HOME = { HOME: '/home/ada' }; // no Temporal profile there

function refusal(env: Record<string, string>, overrides?: ConfigOverrides): EngraphError {
  try {
    loadConfig({ ...HOME, ...env }, overrides);
  } catch (error) {
    assert.ok(error instanceof EngraphError);
    assert.equal(error.kind, 'config');
    return error;
  }
  assert.fail(`${JSON.stringify(env)} was taken`);
}

describe('loadConfig', () => {
  it('has a default for everything', () => {
    const config = loadConfig(HOME);
    assert.equal(config.home, resolve('.engraph'));
    assert.equal(config.store, resolve('.engraph/memory.db'));
    assert.deepEqual(config.llm, { kind: 'rules' });
    assert.deepEqual(config.embedder, { kind: 'minilm' });
    assert.deepEqual(config.temporal, { kind: 'dev', namespace: 'engraph' });
    assert.deepEqual(config.queues, {
      workflow: 'engraph',
      store: 'engraph-store',
      text: 'engraph-text',
      model: 'engraph-model',
    });
    assert.deepEqual(
      [config.threads, config.modelConcurrency, config.modelRps, config.modelTimeoutMs],
      [1, 4, undefined, 120_000],
    );
  });

  it('takes MCP servers by name, as a program to start or as an address', () => {
    const servers = {
      stock: { command: 'node', args: ['stock.js'], env: { KEY: 'k' } },
      wiki: { url: 'http://127.0.0.1:8931/mcp' },
    };
    assert.deepEqual(loadConfig({ ...HOME, ENGRAPH_MCP_SERVERS: JSON.stringify(servers) }).mcpServers, servers);
    assert.deepEqual(loadConfig(HOME).mcpServers, {});
  });

  for (const wrong of [
    'node secret.js',
    '{"a b": {"url": "http://secret"}}',
    '{"a": {}}',
    '{"a": {"url": "file:///secret"}}',
    '{"a": {"command": "secret", "url": "http://secret"}}',
    '{"a": {"command": "x", "cwd": "/secret"}}',
    '[]',
  ]) {
    it(`refuses MCP servers written ${wrong} without showing them`, () => {
      const { message } = refusal({ ENGRAPH_MCP_SERVERS: wrong });
      assert.match(message, /^ENGRAPH_MCP_SERVERS can't be used: it must be JSON/u);
      assert.doesNotMatch(message, /secret/u);
    });
  }

  it('is frozen all through', () => {
    const config = loadConfig(HOME);
    assert.throws(() => Object.assign(config, { threads: 2 }), TypeError);
    assert.throws(() => Object.assign(config.queues, { store: 'x' }), TypeError);
  });

  it('takes an empty value as not set', () => {
    assert.deepEqual(loadConfig({ ...HOME, OPENAI_API_KEY: '', ENGRAPH_LLM: '', TEMPORAL_ADDRESS: '' }), loadConfig(HOME));
  });

  it('lets a command line go before the environment', () => {
    assert.deepEqual(loadConfig({ ...HOME, ENGRAPH_LLM: 'local' }, { ENGRAPH_LLM: 'rules' }).llm, { kind: 'rules' });
    assert.deepEqual(loadConfig({ ...HOME, ENGRAPH_LLM: 'local' }, { ENGRAPH_LLM: undefined }).llm, { kind: 'local' });
  });

  for (const [env, expected] of [
    [{}, { kind: 'rules' }],
    [{ OPENAI_API_KEY: 'k' }, { kind: 'openai', apiKey: 'k', model: 'gpt-4o-mini' }],
    [{ OPENAI_BASE_URL: 'http://h/v1' }, { kind: 'openai', baseUrl: 'http://h/v1', model: 'gpt-4o-mini' }],
    [
      { OPENAI_BASE_URL: 'http://h/v1/', ENGRAPH_CHAT_MODEL: 'qwen' },
      { kind: 'openai', baseUrl: 'http://h/v1', model: 'qwen' },
    ],
    [{ OPENAI_API_KEY: 'k', ENGRAPH_LLM: 'rules' }, { kind: 'rules' }],
    [{ OPENAI_API_KEY: 'k', ENGRAPH_LLM: 'local' }, { kind: 'local' }],
  ] as const) {
    it(`chooses ${expected.kind} for ${JSON.stringify(env)}`, () => {
      assert.deepEqual(loadConfig({ ...HOME, ...env }).llm, expected);
    });
  }

  it('gives the local model one call at a time and ten minutes', () => {
    const config = loadConfig({ ...HOME, ENGRAPH_LLM: 'local' });
    assert.deepEqual([config.modelConcurrency, config.modelTimeoutMs], [1, 600_000]);
  });

  for (const [env, named] of [
    [{ ENGRAPH_LLM: 'openai' }, ['OPENAI_BASE_URL', 'OPENAI_API_KEY']],
    [{ ENGRAPH_EMBEDDER: 'openai' }, ['OPENAI_BASE_URL', 'OPENAI_API_KEY']],
    [{ ENGRAPH_LLM: 'gpt' }, ['ENGRAPH_LLM', '"gpt"', 'auto, openai, local or rules']],
    [{ ENGRAPH_LMM: 'rules' }, ['ENGRAPH_LMM', 'ENGRAPH_LLM']],
    [{ ENGRAPH_THREADS: '0' }, ['ENGRAPH_THREADS', '"0"', '1 to 256']],
    [{ ENGRAPH_THREADS: '1.5' }, ['ENGRAPH_THREADS', '"1.5"']],
    [{ ENGRAPH_MODEL_RPS: '-1' }, ['ENGRAPH_MODEL_RPS', '"-1"']],
    [{ ENGRAPH_TIMEOUT_MS: '2 minutes' }, ['ENGRAPH_TIMEOUT_MS', 'milliseconds']],
    [{ ENGRAPH_TASK_QUEUE: 'a b' }, ['ENGRAPH_TASK_QUEUE', '"a b"']],
    [{ OPENAI_BASE_URL: 'localhost:8080' }, ['OPENAI_BASE_URL', '"localhost:8080"', 'http']],
    [{ ENGRAPH_EMBEDDING_MODEL: 'x' }, ['ENGRAPH_EMBEDDING_MODEL', 'ENGRAPH_EMBEDDER=openai']],
    [
      { ENGRAPH_EMBEDDER: 'openai', OPENAI_API_KEY: 'k', ENGRAPH_EMBEDDING_MODEL: 'mine' },
      ['"mine"', 'ENGRAPH_EMBEDDING_DIMENSION'],
    ],
    [{ TEMPORAL_CONFIG_FILE: '/nowhere.toml' }, ['TEMPORAL_CONFIG_FILE', '/nowhere.toml']],
    [{ TEMPORAL_PROFILE: 'nobody' }, ['TEMPORAL_', 'nobody']],
  ] as const) {
    it(`refuses ${JSON.stringify(env)} and says what may stand there`, () => {
      const { message } = refusal(env);
      for (const word of named) assert.ok(message.includes(word), `"${message}" names ${word}`);
    });
  }

  it('never shows a key or a password', () => {
    const secrets = { OPENAI_API_KEY: 'sk-secret', OPENAI_BASE_URL: 'http://ada:sk-secret@h/v1?key=sk-secret' };
    assert.ok(!refusal({ OPENAI_API_KEY: 'sk-secret two' }).message.includes('sk-secret'));
    assert.ok(!refusal({ OPENAI_BASE_URL: 'http://ada:sk-secret@h h/' }).message.includes('sk-secret'));
    const config = loadConfig({
      ...HOME,
      ...secrets,
      ENGRAPH_EMBEDDER: 'openai',
      TEMPORAL_ADDRESS: 'h:7233',
      TEMPORAL_API_KEY: 'sk-secret',
    });
    assert.equal(config.llm.kind === 'openai' && config.llm.apiKey, 'sk-secret');
    assert.ok(!JSON.stringify(describeConfig(config)).includes('sk-secret'));
  });

  it('knows the dimension of the embedding models it names, and takes one for others', () => {
    const openai = { ...HOME, ENGRAPH_EMBEDDER: 'openai', OPENAI_API_KEY: 'k' };
    const dimension = (env: Record<string, string>) => {
      const { embedder } = loadConfig({ ...openai, ...env });
      return embedder.kind === 'openai' && embedder.dimension;
    };
    assert.equal(dimension({}), 1536);
    assert.equal(dimension({ ENGRAPH_EMBEDDING_MODEL: 'text-embedding-3-large' }), 3072);
    assert.equal(dimension({ ENGRAPH_EMBEDDING_MODEL: 'mine', ENGRAPH_EMBEDDING_DIMENSION: '8' }), 8);
  });
});

describe('the temporal section', () => {
  const folder = mkdtempSync(join(tmpdir(), 'engraph-profile-'));
  const file = join(folder, 'temporal.toml');
  before(() => writeFileSync(file, '[profile.default]\nnamespace = "one"\n[profile.far]\naddress = "far:7233"\napi_key = "k"\n'));
  after(() => rmSync(folder, { recursive: true }));

  const target = (env: Record<string, string>) => loadConfig({ ...HOME, ...env }).temporal;

  it('is the server of an address', () => {
    assert.deepEqual(target({ TEMPORAL_ADDRESS: 'h:1' }), {
      kind: 'server',
      connectionOptions: { address: 'h:1' },
      namespace: 'default',
    });
  });

  it('is the server of a profile, the environment before the file', () => {
    const profile = { TEMPORAL_CONFIG_FILE: file, TEMPORAL_PROFILE: 'far', TEMPORAL_NAMESPACE: 'two' };
    assert.deepEqual(target(profile), {
      kind: 'server',
      connectionOptions: { address: 'far:7233', apiKey: 'k', tls: true },
      namespace: 'two',
    });
  });

  it("is Temporal's usual address where a profile that was asked for names none", () => {
    assert.deepEqual(target({ TEMPORAL_CONFIG_FILE: file }), {
      kind: 'server',
      connectionOptions: { address: 'localhost:7233' },
      namespace: 'one',
    });
  });

  it('is a dev server with a namespace of choice where nothing names a server', () => {
    assert.deepEqual(target({ TEMPORAL_NAMESPACE: 'mine' }), { kind: 'dev', namespace: 'mine' });
  });

  it('does not quote a file that it cannot read', () => {
    writeFileSync(file, '[profile.default]\napi_key = sk-secret\n');
    const failure = refusal({ TEMPORAL_CONFIG_FILE: file });
    assert.ok(!`${failure.message} ${String(failure.cause)}`.includes('sk-secret'));
  });
});
