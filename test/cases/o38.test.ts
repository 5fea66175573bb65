import assert from 'node:assert/strict';

import { conversationFakes, turnsIn } from '../support/conversation-fakes.js';
import { startEnvironment, stopEnvironment, withEngraph } from '../support/environment.js';
import { nodesOf, says } from '../support/saying.js';

/** Events after which Temporal itself warns. */
const MOST_EVENTS = 10_240;

describe('case O38: messages that come faster than a conversation can start itself anew', function () {
  this.timeout(240_000);
  before(startEnvironment);
  after(stopEnvironment);

  it('are each stored and extracted once, in the order sent, over several runs, and the conversation lives on', async () => {
    const { activities, heard } = conversationFakes();
    await withEngraph({ activities }, async (stage) => {
      const handle = stage.client.conversation('o38', stage.taskQueue, { sensoryTokens: 128, shortTermTokens: 256 });
      const message = (number: number) => says(`message number ${number}`, { key: `m${number}` });
      const told = await Promise.all(Array.from({ length: 500 }, (_, at) => handle.remember([message(at + 1)])));
      assert.ok(told.every(({ stored }) => stored === 1));
      await handle.flush();
      assert.equal((await handle.remember([message(501)])).stored, 1);
      await handle.flush();
      const turns = await nodesOf(stage, 'o38');
      assert.deepEqual(
        turns.map(({ text }) => text),
        Array.from({ length: 501 }, (_, at) => `message number ${at + 1}`),
      );
      assert.deepEqual(
        turnsIn(heard.published),
        turns.map(({ id }) => id),
        'each in one batch, in order',
      );
      const query = `WorkflowId = '${handle.workflowId}'`;
      const lengths: number[] = [];
      for await (const run of stage.temporal.workflow.list({ query })) lengths.push(run.historyLength ?? 0);
      assert.ok(lengths.length > 1, 'it went on in new runs');
      assert.ok(Math.max(...lengths) < MOST_EVENTS, `${Math.max(...lengths)} events in one run`);
      assert.equal((await stage.temporal.workflow.getHandle(handle.workflowId).describe()).status.name, 'RUNNING');
    });
  });
});
