import assert from 'node:assert/strict';

import { EngraphClient } from '../../src/client.js';
import { conversationFakes } from '../support/conversation-fakes.js';
import { startEnvironment, stopEnvironment, withEngraph } from '../support/environment.js';
import { nodesOf, says } from '../support/saying.js';

describe('case O33: the same thing said five times at once', function () {
  this.timeout(120_000);
  before(startEnvironment);
  after(stopEnvironment);

  it('is stored once and known four times under one id, from one client or from five, twenty times over', async () => {
    await withEngraph({ activities: conversationFakes().activities }, async (stage) => {
      const { client, temporal, memory, taskQueue } = stage;
      const others = Array.from({ length: 5 }, () => new EngraphClient({ temporal, memory, taskQueue }));
      for (let run = 0; run < 20; run++) {
        const space = `o33 ${run}`;
        const askers = run % 2 === 0 ? Array.from({ length: 5 }, () => client) : others;
        const told = await Promise.all(askers.map((one) => one.remember(space, taskQueue, [says('I really like oolong')])));
        assert.deepEqual(told.map(({ stored, known }) => [stored, known]).sort(), [
          [0, 1],
          [0, 1],
          [0, 1],
          [0, 1],
          [1, 0],
        ]);
        assert.equal(new Set(told.flatMap(({ turns }) => turns.map(({ turnId }) => turnId))).size, 1);
        assert.equal((await nodesOf(stage, space)).length, 1);
      }
    });
  });
});
