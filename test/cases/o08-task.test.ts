import assert from 'node:assert/strict';

import type { EngraphError } from '../../src/domain/failure.js';
import { noneRuns, teaTask, withAskedServer } from '../support/asked-server.js';
import { startEnvironment, stopEnvironment } from '../support/environment.js';
import { errorReply } from '../support/scripted-openai.js';

describe('O08 · a task whose model can’t be paid or does not know the key', function () {
  this.timeout(60_000);
  before(startEnvironment);
  after(stopEnvironment);

  for (const [status, code, kind] of [
    [429, 'insufficient_quota', 'llm_quota'],
    [401, 'invalid_api_key', 'llm_auth'],
  ] as const) {
    it(`fails with ${kind} after one request, for good`, async () => {
      const refusal = errorReply(status, { type: code, code, message: 'quota used up' });
      await withAskedServer(
        () => refusal,
        async (stage, server) => {
          await assert.rejects(stage.client.runTask(teaTask(code)), (error: EngraphError) => {
            assert.deepEqual([error.kind, error.retryable], [kind, false]);
            return true;
          });
          assert.equal(server.requests.length, 1);
          const { startTime, closeTime } = await stage.temporal.workflow.getHandle(`task/teas/${code}`).describe();
          // Ten seconds are the case itself: it was retried for minutes. The times are the server's.
          assert.ok(closeTime && closeTime.getTime() - startTime.getTime() < 10_000);
          await noneRuns(stage);
        },
      );
    });
  }
});
