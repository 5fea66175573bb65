import type { Judged, Planned, QueueKey, SleepActivities } from '../../activities/contract-sleep.js';
import { NO_VERDICTS } from '../../src/domain/update-queue.js';

/** What the fakes were asked, in order. */
export interface SleepHeard {
  readonly judged: number[];
  readonly applied: number[];
  readonly settled: number[];
  readonly undone: string[];
  readonly reports: string[];
  /** Queues at work at once, at most. */
  most: number;
}

const JUDGED: Judged = {
  mergedWithoutModel: 0,
  verdicts: { ...NO_VERDICTS, keep: 1 },
  refused: [],
  changes: 1,
  spent: { calls: 1, inputTokens: 100, outputTokens: 10, model: 'fake' },
};

/** A sleep's activities without a store: `plans` says of each plan how many targets each of its queues has. */
export function sleepFakes({
  plans,
  recall = [1, 1],
  judge = () => Promise.resolve(JUDGED),
  apply = () => Promise.resolve({ revised: 1, retired: 0, inserted: 0, stale: false }),
}: {
  plans: readonly (readonly number[])[];
  recall?: readonly [number, number];
  judge?: (key: QueueKey) => Promise<Judged>;
  apply?: SleepActivities['applyQueue'];
}): { heard: SleepHeard; activities: SleepActivities } {
  const heard: SleepHeard = { judged: [], applied: [], settled: [], undone: [], reports: [], most: 0 };
  let atWork = 0;
  const planned = (plan: number): Planned => ({
    fresh: (plans[plan] ?? []).reduce((sum, targets) => sum + targets + 1, 0),
    queues: plans[plan] ?? [],
    cut: 0,
    ...(plan + 1 < plans.length && { next: String(plan + 1) }),
  });
  return {
    heard,
    activities: {
      listParked: () => Promise.resolve({ batches: [] }),
      unparkBatch: () => Promise.resolve(),
      planReconcile: ({ plan }) => Promise.resolve(planned(plan)),
      judgeQueue: async (key) => {
        heard.most = Math.max(heard.most, ++atWork);
        heard.judged.push(key.plan * 1_000 + key.queue);
        try {
          return await judge(key);
        } finally {
          atWork--;
        }
      },
      applyQueue: async (key) => {
        const applied = await apply(key);
        heard.applied.push(key.plan * 1_000 + key.queue);
        return applied;
      },
      settlePlan: ({ plan }) => {
        heard.settled.push(plan);
        return Promise.resolve({ settled: 0 });
      },
      measureRecall: ({ when }) => Promise.resolve({ sampled: 10, recall10: recall[when === 'before' ? 0 : 1] }),
      undoSleep: ({ runId }) => {
        heard.undone.push(runId);
        return Promise.resolve({ restored: 1, inTheWay: [] });
      },
      recordSleep: ({ report }) => {
        heard.reports.push(report);
        return Promise.resolve();
      },
    },
  };
}

export { JUDGED };
