import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { openModel } from '../../src/compose.js';
import { loadConfig } from '../../src/config.js';
import { TEA_SPACE, teaTask } from '../support/asked-server.js';
import { aChunk, remembering } from '../support/builders.js';
import { engraph } from '../support/command-line.js';
import { startEnvironment, stopEnvironment, withEngraph } from '../support/environment.js';

describe('O10 · with neither a server nor a key', function () {
  this.timeout(60_000);
  before(startEnvironment);
  after(stopEnvironment);

  it('the rules model serves a task, and says in its result that it is no LLM', async () => {
    const model = await openModel(loadConfig({}));
    assert.deepEqual([model.name, model.isLanguageModel], ['rules (no LLM)', false]);
    await withEngraph({ model }, async ({ client, memory }) => {
      await remembering(memory, TEA_SPACE, aChunk('The user likes oolong tea.'));
      const result = await client.runTask(teaTask('by rules'));
      assert.deepEqual(result.models, ['rules (no LLM)']);
      assert.match(result.answer, /oolong/u);
    });
  });

  it('every command that is told to use an endpoint fails with config, which names the settings', async () => {
    const home = await mkdtemp(join(tmpdir(), 'engraph-o10-'));
    try {
      for (const command of [['dev'], ['worker'], ['run', 'x'], ['doctor']]) {
        const { code, out } = await engraph([...command, '--llm', 'openai', '--json', '--home', home]);
        assert.equal(code, 2);
        const { error } = JSON.parse(out) as { error: { kind: string; message: string; retryable: boolean } };
        assert.deepEqual([error.kind, error.retryable], ['config', false]);
        assert.match(error.message, /OPENAI_BASE_URL[^]*OPENAI_API_KEY/u);
      }
    } finally {
      await rm(home, { recursive: true, force: true });
    }
  });
});
