import assert from 'node:assert/strict';

import { ApplicationFailure } from '@temporalio/common';

import { conversationFakes } from '../support/conversation-fakes.js';
import { startEnvironment, stopEnvironment, withEngraph } from '../support/environment.js';
import { eventually } from '../support/eventually.js';
import { codeWords } from '../support/saying.js';
import { JUDGED, sleepFakes } from '../support/sleep-fakes.js';

const SPACE = 'ann-lee';
const PARKED = { phases: ['parked'] } as const;

describe('conversationWorkflow and sleep', function () {
  this.timeout(60_000);
  before(startEnvironment);
  after(stopEnvironment);

  it('with update "online" holds the facts of a batch against older ones right after they are extracted', async () => {
    const sleep = sleepFakes({
      plans: [[1, 2, 1]],
      judge: ({ queue }) =>
        queue === 1 ? Promise.reject(ApplicationFailure.nonRetryable('no', 'llm_unparseable')) : Promise.resolve(JUDGED),
    });
    const { activities, heard } = conversationFakes();
    await withEngraph({ activities: { ...sleep.activities, ...activities } }, async ({ client, taskQueue }) => {
      const conversation = client.conversation(SPACE, taskQueue, { update: 'online' });
      await conversation.remember(codeWords(2));
      const status = await conversation.flush();
      assert.deepEqual([heard.published.length, sleep.heard.judged, sleep.heard.applied], [1, [0, 1, 2], [0, 2]]);
      assert.deepEqual([status.reconciled, status.unreconciled, status.parked], [2, 1, 0]);
      assert.deepEqual([status.spent.calls, sleep.heard.settled], [3, [0]]);
    });
  });

  it('asks for no reconciliation otherwise', async () => {
    const sleep = sleepFakes({ plans: [[1]] });
    await withEngraph(
      { activities: { ...sleep.activities, ...conversationFakes().activities } },
      async ({ client, taskQueue }) => {
        const conversation = client.conversation(SPACE, taskQueue);
        await conversation.remember(codeWords(2));
        await conversation.flush();
        assert.deepEqual(sleep.heard.judged, []);
      },
    );
  });

  it('sends the space to sleep when nobody has spoken for a while, once until somebody does, and when it is closed', async () => {
    const sleep = sleepFakes({ plans: [[1]] });
    await withEngraph(
      { activities: { ...sleep.activities, ...conversationFakes().activities } },
      async ({ client, taskQueue }) => {
        const conversation = client.conversation(SPACE, taskQueue, { sleepWhenIdle: true, idleMs: 200 });
        await conversation.remember(codeWords(2));
        await eventually(() => assert.equal(sleep.heard.reports.length, 1));
        await conversation.remember(codeWords(3));
        await eventually(() => assert.equal(sleep.heard.reports.length, 2));
        await conversation.remember(codeWords(4));
        await conversation.close();
        await eventually(() => assert.equal(sleep.heard.reports.length, 3));
      },
    );
  });

  it('counts a batch as parked no more once a sleep has extracted it', async () => {
    let isWilling = false;
    const { activities } = conversationFakes({
      extractFacts: ({ again }) => {
        if (isWilling && again !== undefined)
          return Promise.resolve({
            ...{ facts: 2, summaries: 1, refused: [], unplaced: 0 },
            spent: { calls: 1, inputTokens: 1, outputTokens: 1, model: 'fake' },
          });
        throw ApplicationFailure.nonRetryable('no', 'llm_refused');
      },
    });
    const { parkBatch: _kept, ...others } = activities;
    const { listParked: _listed, unparkBatch: _unparked, ...sleeping } = sleepFakes({ plans: [] }).activities;
    await withEngraph({ activities: { ...sleeping, ...others } }, async ({ client, taskQueue }) => {
      const conversation = client.conversation(SPACE, taskQueue);
      await conversation.remember(codeWords(2));
      assert.equal((await conversation.flush()).parked, 1);
      const still = await client.sleep(SPACE, PARKED);
      assert.deepEqual([still.parked?.batches, still.parked?.still, (await conversation.status()).parked], [1, 1, 1]);
      isWilling = true;
      const done = await client.sleep(SPACE, PARKED);
      assert.deepEqual([done.parked?.batches, done.parked?.still, done.parked?.facts], [1, 0, 2]);
      await eventually(async () => {
        const { parked, facts, parkedBatches } = await conversation.status();
        assert.deepEqual([parked, facts, parkedBatches], [0, 2, []]);
      });
      assert.equal((await client.sleep(SPACE, PARKED)).parked?.batches, 0);
    });
  });
});
