import assert from 'node:assert/strict';

import { TEA, teaTask, withAskedServer } from '../support/asked-server.js';
import { startEnvironment, stopEnvironment } from '../support/environment.js';
import { errorReply } from '../support/scripted-openai.js';

describe('O07 · a task whose model asks it to wait', function () {
  this.timeout(60_000);
  before(startEnvironment);
  after(stopEnvironment);

  it('waits as long as the server says, and asks exactly once more', async () => {
    const busy = errorReply(429, { type: 'requests', code: 'rate_limit_exceeded', message: 'slow down' }, { 'retry-after': '4' });
    await withAskedServer([busy, TEA], async ({ client }, server) => {
      const result = await client.runTask(teaTask('patient'));
      assert.equal(result.outcome, 'succeeded');
      const [first, second, ...more] = server.requests;
      assert.deepEqual(more, []);
      // The wait is the case itself: by the server's own clock, not shorter than asked and not twice as long.
      const waited = (second?.at ?? 0) - (first?.at ?? 0);
      assert.ok(waited >= 4_000 && waited < 8_000, `${waited} ms`);
    });
  });
});
