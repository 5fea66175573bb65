import assert from 'node:assert/strict';

import type { EngraphError } from '../../src/domain/failure.js';
import { noneRuns, TEA, teaTask, withAskedServer } from '../support/asked-server.js';
import { startEnvironment, stopEnvironment } from '../support/environment.js';

const EMPTY = { body: { choices: [], error: { message: 'upstream overloaded', code: 502 } } };

describe('O05 · a task whose model gives an empty list of choices', function () {
  this.timeout(90_000);
  before(startEnvironment);
  after(stopEnvironment);

  it('asks once more, and succeeds with two requests', async () => {
    await withAskedServer([EMPTY, TEA], async ({ client }, server) => {
      const result = await client.runTask(teaTask('once'));
      assert.deepEqual([result.outcome, result.answer], ['succeeded', 'oolong']);
      assert.equal(server.requests.length, 2);
    });
  });

  it('fails after its attempts with the upstream’s words, as a failure that may pass, and remembers nothing but that it failed', async () => {
    await withAskedServer(
      () => EMPTY,
      async (stage, server) => {
        const { client, memory } = stage;
        const before = await client.exportHash('teas', ['semantic', 'procedural']);
        await assert.rejects(client.runTask(teaTask('always')), (error: EngraphError) => {
          assert.deepEqual([error.kind, error.retryable], ['llm_no_choices', true]);
          assert.match(error.message, /upstream overloaded/u);
          return true;
        });
        assert.equal(server.requests.length, 5, 'the configured attempts');
        await noneRuns(stage);
        assert.equal(await client.exportHash('teas', ['semantic', 'procedural']), before);
        assert.equal(await memory.nodes.count('teas', { kinds: ['episodic'] }), 1, 'a failed task is an episode too');
      },
    );
  });
});
