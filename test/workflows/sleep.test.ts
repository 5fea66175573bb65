import assert from 'node:assert/strict';

import { ApplicationFailure } from '@temporalio/common';

import type { SleepResult } from '../../src/domain/sleep-result.js';
import { startEnvironment, stopEnvironment, withEngraph } from '../support/environment.js';
import { eventually } from '../support/eventually.js';
import { JUDGED, sleepFakes } from '../support/sleep-fakes.js';

const SPACE = 'ann-lee';

const sorted = (numbers: readonly number[]): number[] => [...numbers].sort((a, b) => a - b);

/** A promise and what fulfils it. */
function gate(): { readonly open: () => void; readonly opened: Promise<void> } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

describe('sleepWorkflow', function () {
  this.timeout(60_000);
  before(startEnvironment);
  after(stopEnvironment);

  it('judges and applies every queue of every plan once, across runs, and counts what came of it', async () => {
    const { activities, heard } = sleepFakes({ plans: [Array<number>(30).fill(1), [2, 3]] });
    await withEngraph({ activities: { ...activities } }, async ({ client }) => {
      const result = await client.sleep(SPACE, { reconcile: { lanes: 3 } });
      const all = [...Array.from({ length: 30 }, (_, queue) => queue), 1_000, 1_001];
      assert.deepEqual([sorted(heard.judged), sorted(heard.applied), heard.settled], [all, all, [0, 1]]);
      assert.equal(result.end, 'done');
      assert.deepEqual(
        [result.reconcile?.queues, result.reconcile?.targets, result.reconcile?.revised, result.reconcile?.verdicts.keep],
        [32, 35, 32, 32],
      );
      assert.deepEqual(result.spent, { calls: 32, inputTokens: 3_200, outputTokens: 320 });
      assert.deepEqual((JSON.parse(heard.reports[0] ?? '') as SleepResult).reconcile, result.reconcile);
    });
  });

  it('runs at most as many lanes as it is told to', async () => {
    const { activities, heard } = sleepFakes({
      plans: [Array<number>(12).fill(1)],
      judge: () => new Promise((resolve) => setTimeout(() => resolve(JUDGED), 50)),
    });
    await withEngraph({ activities: { ...activities } }, async ({ client }) => {
      await client.sleep(SPACE, { reconcile: { lanes: 2 } });
      assert.equal(heard.judged.length, 12);
      assert.ok(heard.most <= 2, `${heard.most} queues were at work at once`);
    });
  });

  it('undoes the whole run where recall fell, and leaves it where it did not', async () => {
    const fell = sleepFakes({ plans: [[1]], recall: [0.9, 0.8] });
    await withEngraph({ activities: { ...fell.activities } }, async ({ client }) => {
      const result = await client.sleep(SPACE);
      assert.deepEqual(fell.heard.undone, [result.runId]);
      assert.deepEqual([result.reconcile?.undone, result.reconcile?.after?.recall10], [true, 0.8]);
    });
    const held = sleepFakes({ plans: [[1]], recall: [0.9, 0.9] });
    await withEngraph({ activities: { ...held.activities } }, async ({ client }) => {
      assert.equal((await client.sleep(SPACE)).reconcile?.undone, false);
      assert.deepEqual(held.heard.undone, []);
    });
  });

  it('judges but applies nothing in a dry run', async () => {
    const { activities, heard } = sleepFakes({ plans: [[1, 1]] });
    await withEngraph({ activities: { ...activities } }, async ({ client }) => {
      const result = await client.sleep(SPACE, { dryRun: true });
      assert.deepEqual([heard.judged.length, heard.applied, heard.settled, result.dryRun], [2, [], [], true]);
    });
  });

  it('leaves a queue whose model answer is unusable, and ends at once where the model has no quota', async () => {
    const failing = (kind: string) => (): never => {
      throw ApplicationFailure.nonRetryable('no', kind);
    };
    const unusable = sleepFakes({
      plans: [[1, 1, 1]],
      judge: ({ queue }) => (queue === 1 ? failing('llm_unparseable')() : Promise.resolve(JUDGED)),
    });
    await withEngraph({ activities: { ...unusable.activities } }, async ({ client }) => {
      const { reconcile, end } = await client.sleep(SPACE);
      assert.deepEqual([reconcile?.left, reconcile?.revised, end], [[{ queue: 1, kind: 'llm_unparseable' }], 2, 'done']);
    });
    const broke = sleepFakes({ plans: [Array<number>(40).fill(1)], judge: failing('llm_quota') });
    await withEngraph({ activities: { ...broke.activities } }, async ({ client }) => {
      const result = await client.sleep(SPACE, { reconcile: { lanes: 1 } });
      assert.deepEqual([result.end, broke.heard.judged.length], ['halted', 1]);
    });
  });

  it('begins no queue beyond its budget of tokens', async () => {
    const { activities, heard } = sleepFakes({ plans: [Array<number>(20).fill(1)] });
    await withEngraph({ activities: { ...activities } }, async ({ client }) => {
      const result = await client.sleep(SPACE, { maxTokens: 300, reconcile: { lanes: 1 } });
      assert.deepEqual([result.end, heard.judged.length], ['tokens', 3]);
    });
  });

  it('pauses, tells its progress, resumes, and stops when told', async () => {
    const held = gate();
    const { activities, heard } = sleepFakes({
      plans: [Array<number>(10).fill(1)],
      judge: async ({ queue }) => {
        if (queue === 0) await held.opened;
        return JUDGED;
      },
    });
    await withEngraph({ activities: { ...activities } }, async ({ client }) => {
      const sleep = await client.sleeping(SPACE).start({ reconcile: { lanes: 1 } });
      await eventually(() => assert.equal(heard.judged.length, 1));
      await sleep.pause();
      await eventually(async () => assert.equal((await sleep.progress()).paused, true));
      held.open();
      await eventually(() => assert.equal(heard.applied.length, 1));
      const { lanes, phases } = await sleep.progress();
      assert.deepEqual([lanes, phases[0], heard.judged.length], [1, 'reconcile', 1]);
      await sleep.stop();
      const result = await sleep.result();
      assert.deepEqual([result.end, heard.judged.length], ['stopped', 1]);
    });
  });

  it('is one at a time for a space: a second request finds the first, and a tick leaves it alone', async () => {
    const held = gate();
    const { activities, heard } = sleepFakes({
      plans: [[1]],
      judge: async () => {
        await held.opened;
        return JUDGED;
      },
    });
    await withEngraph({ activities: { ...activities } }, async ({ client, temporal, taskQueue }) => {
      await client.sleeping(SPACE).start();
      await eventually(() => assert.equal(heard.judged.length, 1));
      const second = client.sleep(SPACE);
      const tick = await temporal.workflow.execute('sleepTick', {
        workflowId: `sleep-tick/${SPACE}`,
        taskQueue,
        args: [{ space: SPACE }],
      });
      assert.deepEqual(tick, { started: false });
      held.open();
      assert.equal((await second).reconcile?.queues, 1);
      assert.equal(heard.judged.length, 1);
    });
  });

  it('is started by a schedule, which can be paused, resumed, read and deleted', async () => {
    const { activities, heard } = sleepFakes({ plans: [[1]] });
    await withEngraph({ activities: { ...activities } }, async ({ client, temporal, taskQueue }) => {
      const space = `ann-${taskQueue.slice(-8)}`;
      const schedule = client.sleeping(space).schedule;
      assert.equal(await schedule.describe(), undefined);
      await schedule.set(3_600_000, { dryRun: true });
      await schedule.set(86_400_000, { phases: ['reconcile'] });
      await schedule.pause();
      const paused = await schedule.describe();
      assert.deepEqual([paused?.everyMs, paused?.paused, paused?.settings], [86_400_000, true, { phases: ['reconcile'] }]);
      await schedule.resume();
      assert.equal((await schedule.describe())?.paused, false);
      await temporal.schedule.getHandle(`sleep/${space}`).trigger();
      await eventually(() => assert.equal(heard.applied.length, 1));
      await client.sleeping(space).handle.result();
      await schedule.delete();
      assert.equal(await schedule.describe(), undefined);
      await assert.rejects(schedule.pause(), { kind: 'not_found' });
      await assert.rejects(schedule.set(1_000), { kind: 'validation' });
    });
  });

  it('refuses wrong settings before anything is started, and a workflow started without a client too', async () => {
    await withEngraph({ activities: { ...sleepFakes({ plans: [] }).activities } }, async ({ client, temporal, taskQueue }) => {
      await assert.rejects(client.sleep(SPACE, { reconcile: { lanes: 9 } }), {
        kind: 'validation',
        message: /reconcile\.lanes is 9/,
      });
      await assert.rejects(client.sleep(SPACE, { phases: [] }), { kind: 'validation' });
      const started = temporal.workflow.execute('sleepWorkflow', {
        workflowId: `wrong-${taskQueue}`,
        taskQueue,
        args: [{ space: SPACE, settings: { maxTokens: -1 } }],
      });
      await assert.rejects(started, ({ cause }: { cause: ApplicationFailure }) => cause.type === 'validation');
    });
  });

  it('keeps what it came to when it is cancelled, and cancels its lanes', async () => {
    const held = gate();
    const { activities, heard } = sleepFakes({
      plans: [[1, 1]],
      judge: async () => {
        await held.opened;
        return JUDGED;
      },
    });
    await withEngraph({ activities: { ...activities } }, async ({ client, temporal }) => {
      const sleep = await client.sleeping(SPACE).start();
      await eventually(() => assert.equal(heard.judged.length, 2));
      await temporal.workflow.getHandle(sleep.workflowId).cancel();
      await eventually(() => assert.equal(heard.reports.length, 1));
      held.open();
      assert.equal((JSON.parse(heard.reports[0] ?? '') as SleepResult).end, 'stopped');
      assert.deepEqual(heard.applied, []);
    });
  });
});
