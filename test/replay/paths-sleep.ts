import { ApplicationFailure } from '@temporalio/common';

import type { SleepRequest } from '../../src/domain/sleep.js';
import { conversationFakes } from '../support/conversation-fakes.js';
import { withEngraph, type Stage } from '../support/environment.js';
import { eventually } from '../support/eventually.js';
import { codeWords } from '../support/saying.js';
import { JUDGED, sleepFakes, type SleepHeard } from '../support/sleep-fakes.js';

/** Does something with the workflow that a path has made, while its workers still run. */
type Then = (stage: Stage, workflowId: string) => Promise<void>;

const SPACE = 'recorded';
const FACTS: SleepRequest = { phases: ['parked', 'reconcile'] };

/** A path of `sleepWorkflow` over fakes; `during` may steer it before its end is waited for. */
function sleep(
  fakes: Parameters<typeof sleepFakes>[0],
  request: SleepRequest = {},
  during: (stage: Stage, heard: SleepHeard) => Promise<void> = () => Promise.resolve(),
  recorded: (runId: string) => string = () => `sleep/${SPACE}`,
) {
  return async (then: Then): Promise<void> => {
    const { activities, heard } = sleepFakes(fakes);
    await withEngraph({ activities: { ...activities } }, async (stage) => {
      const handle = await stage.client.sleeping(SPACE).start({ ...FACTS, ...request });
      await during(stage, heard);
      const { runId } = await handle.result();
      await then(stage, recorded(runId));
    });
  };
}

const refusing = (): Promise<never> => Promise.reject(ApplicationFailure.nonRetryable('no', 'llm_unparseable'));

/** Paths of sleeps and of what starts them. */
export const SLEEP_PATHS: Readonly<Record<string, (then: Then) => Promise<void>>> = {
  'sleep-done': sleep({ plans: [[1, 2]] }),
  'sleep-renewed': sleep({ plans: [Array<number>(30).fill(1), [1]] }, { reconcile: { lanes: 2 } }),
  'sleep-undone-by-the-gate': sleep({ plans: [[1]], recall: [1, 0.5] }),
  'sleep-dry-run': sleep({ plans: [[1]] }, { dryRun: true }),
  'sleep-out-of-tokens': sleep({ plans: [[1, 1, 1]] }, { maxTokens: 100, reconcile: { lanes: 1 } }),
  'sleep-paused': sleep({ plans: [[1, 1, 1]] }, { reconcile: { lanes: 1 } }, async ({ client }) => {
    const sleeping = client.sleeping(SPACE);
    await sleeping.pause();
    await eventually(async () => {
      if ((await sleeping.progress())?.paused === false) throw new Error('it is not paused');
    });
    await sleeping.resume();
  }),
  'sleep-lane': sleep(
    { plans: [[1, 1]], judge: ({ queue }) => (queue === 0 ? refusing() : Promise.resolve(JUDGED)) },
    { reconcile: { lanes: 1 } },
    undefined,
    (runId) => `sleep/${SPACE}/${runId}/0.0`,
  ),
  'sleep-tick': async (then) =>
    await withEngraph({ activities: { ...sleepFakes({ plans: [[1]] }).activities } }, async (stage) => {
      const workflowId = `sleep-tick/${SPACE}`;
      const args = [{ space: SPACE, settings: FACTS }];
      await stage.temporal.workflow.execute('sleepTick', { workflowId, taskQueue: stage.taskQueue, args });
      await stage.client.sleeping(SPACE).handle.result();
      await then(stage, workflowId);
    }),
  'sleep-undo': async (then) =>
    await withEngraph({ activities: { ...sleepFakes({ plans: [] }).activities } }, async (stage) => {
      await stage.client.sleeping(SPACE).undo('a sleep');
      await then(stage, `sleep/${SPACE}`);
    }),
  'conversation-online': async (then) => {
    const activities = { ...sleepFakes({ plans: [[1, 1]] }).activities, ...conversationFakes().activities };
    await withEngraph({ activities }, async (stage) => {
      const handle = stage.client.conversation(SPACE, stage.taskQueue, { update: 'online', sleepWhenIdle: true });
      await handle.remember(codeWords(3));
      await handle.close();
      await then(stage, handle.workflowId);
    });
  },
};
