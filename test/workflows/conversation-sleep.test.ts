import assert from 'node:assert/strict';

import { ApplicationFailure } from '@temporalio/common';

import { conversationFakes } from '../support/conversation-fakes.js';
import { startEnvironment, stopEnvironment, withEngraph } from '../support/environment.js';
import { eventually } from '../support/eventually.js';
import type { FactsInput, FactsReply } from '../../src/prompts/inputs-facts.js';
import type { ReconcileInput, ReconcileReply } from '../../src/prompts/inputs-reconcile.js';
import { codeWords, nodesOf, says } from '../support/saying.js';
import { ScriptedModel } from '../support/scripted-model.js';
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

  it('so that what a fact replaces is gone from memory when flush returns, without a sleep', async () => {
    const model = new ScriptedModel({
      facts: ({ input }: { input: FactsInput }): FactsReply => ({
        topics: input.sections.map(({ n, turns }) => ({
          ...{ section: n, title: 'Home', summary: 'Where the user lives.' },
          facts: turns.map((turn) => ({ turn: turn.n, saidBy: 'user' as const, text: `Mira ${turn.text}`, when: null })),
        })),
      }),
      reconcile: ({ input }: { input: ReconcileInput }): ReconcileReply => ({
        reason: 'moved',
        verdicts: input.memories.map(({ n }) => ({ n, verdict: 'supersede', text: null })),
      }),
    });
    await withEngraph({ model }, async (stage) => {
      const conversation = stage.client.conversation('moving', stage.taskQueue, { update: 'online' });
      await conversation.remember([says('lives in Lisbon', { at: '2024-01-05T10:00:00Z' })]);
      await conversation.flush();
      await conversation.remember([says('lives in Porto', { at: '2024-02-05T10:00:00Z' })]);
      const status = await conversation.flush();
      assert.deepEqual([status.facts, status.reconciled, status.unreconciled], [2, 1, 0]);
      assert.deepEqual(
        (await nodesOf(stage, 'moving', 'fact')).map(({ text, status: mark }) => [text, mark]),
        [['Mira lives in Porto', undefined]],
      );
      const before = await stage.client.search('moving', 'where does Mira live', {
        trueAt: '2024-01-20T00:00:00Z',
        forms: ['fact'],
      });
      assert.deepEqual(
        before.map(({ node }) => node.text),
        ['Mira lives in Lisbon'],
      );
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
        const conversation = client.conversation('idle', taskQueue, { sleepWhenIdle: true, idleMs: 200 });
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
      const conversation = client.conversation('parked', taskQueue);
      await conversation.remember(codeWords(2));
      assert.equal((await conversation.flush()).parked, 1);
      const still = await client.sleep('parked', PARKED);
      assert.deepEqual([still.parked?.batches, still.parked?.still, (await conversation.status()).parked], [1, 1, 1]);
      isWilling = true;
      const done = await client.sleep('parked', PARKED);
      assert.deepEqual([done.parked?.batches, done.parked?.still, done.parked?.facts], [1, 0, 2]);
      await eventually(async () => {
        const { parked, facts, parkedBatches } = await conversation.status();
        assert.deepEqual([parked, facts, parkedBatches], [0, 2, []]);
      });
      assert.equal((await client.sleep('parked', PARKED)).parked?.batches, 0);
    });
  });
});
