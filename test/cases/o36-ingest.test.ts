import assert from 'node:assert/strict';

import type { Message } from '../../src/domain/message.js';
import { startEnvironment, stopEnvironment, withEngraph } from '../support/environment.js';

describe('case O36: messages that are none', function () {
  this.timeout(90_000);
  before(startEnvironment);
  after(stopEnvironment);

  it('fail the call with kind validation naming the field, and start no workflow', async () => {
    await withEngraph({}, async ({ client, taskQueue }) => {
      const wrong: readonly [unknown, RegExp][] = [
        ['not a list', /messages must be a list/u],
        [
          [
            { role: 'user', content: 'fine' },
            { role: 'wizard', content: 'x' },
          ],
          /message 1 .*role/u,
        ],
        [[{ role: 'user', content: 'x', metadata: 'y' }], /message 0: metadata/u],
      ];
      for (const [messages, message] of wrong) {
        await assert.rejects(client.remember('o36', taskQueue, messages as Message[]), { kind: 'validation', message });
      }
      await assert.rejects(client.remember('o36', 'a\tb', []), { kind: 'validation', message: /conversation/u });
      await assert.rejects(client.remember('', taskQueue, []), { kind: 'bad_space' });
      await assert.rejects(client.conversation('o36', taskQueue).status(), { kind: 'not_found' });
      assert.deepEqual(await client.spaces(), []);
    });
  });
});
