import { EngraphError } from '../src/domain/failure.js';
import type { UpdateQueue } from '../src/domain/update-queue.js';
import type { CallOptions } from '../src/ports/vector-store.js';
import { JudgedQueues, type JudgedQueue, type QueueName } from '../src/store/judged-queues.js';
import { Reconciling } from '../src/store/reconciling.js';
import type { Applied, Judged, SleepActivities } from './contract-sleep.js';
import { working } from './failures.js';
import { judge, type JudgingDeps } from './reconciling.js';

/** What the activities that reconcile work with. */
export type ReconcileDeps = JudgingDeps & {
  readonly now: () => Date;
  /** The queue as it was planned; undefined where there was no such plan. */
  readonly plannedQueue: (name: QueueName, options: CallOptions) => Promise<UpdateQueue | undefined>;
  /** Called when a queue was applied: what was kept for it alone may go. */
  readonly consumed?: (name: QueueName, queue: UpdateQueue) => Promise<void>;
};

/**
 * Reconciliation of facts, queue by queue [LightMem]: what is decided is kept with before-images first, then made all or none.
 * Each may be repeated at any point and does nothing twice.
 */
export function createReconcileActivities(deps: ReconcileDeps): Pick<SleepActivities, 'judgeQueue' | 'applyQueue'> {
  const judged = new JudgedQueues(deps.store);
  const reconciling = new Reconciling(deps.store, deps.nodes);
  const apply = async (name: QueueName, signal: AbortSignal): Promise<Applied> => {
    const applied = await reconciling.apply(name, { at: deps.now().toISOString(), signal });
    if (!applied.stale) await deps.consumed?.(name, await planned(deps, name, signal));
    return applied;
  };
  return {
    judgeQueue: ({ apply: isToBeApplied = false, ...name }) =>
      working(async (signal) => {
        const kept =
          (await judged.find(name, { signal })) ??
          (await judged.keep(name, await judge(deps, name, await planned(deps, name, signal), signal), { signal }));
        const applied = isToBeApplied ? await unlessDown(() => apply(name, signal)) : undefined;
        return { ...told(kept), ...(applied !== undefined && { applied }) };
      }),
    applyQueue: (name) => working(async (signal) => await apply(name, signal)),
  };
}

/** What is down comes back: `applyQueue` waits for it as long as that takes, while attempts at a model's answer are counted. */
async function unlessDown(apply: () => Promise<Applied>): Promise<Applied | undefined> {
  try {
    return await apply();
  } catch (error) {
    if (error instanceof EngraphError && error.retryable) return undefined;
    throw error;
  }
}

async function planned({ plannedQueue }: ReconcileDeps, name: QueueName, signal: AbortSignal): Promise<UpdateQueue> {
  const queue = await plannedQueue(name, { signal });
  if (queue !== undefined) return queue;
  throw new EngraphError('not_found', `plan ${name.plan} of this sleep has no queue ${name.queue}; plan it first`, {
    details: { runId: name.runId, plan: name.plan, queue: name.queue },
  });
}

function told({ mergedWithoutModel, verdicts, refused, changes, spent }: JudgedQueue): Judged {
  return { mergedWithoutModel, verdicts, refused, changes: changes.length, spent };
}
