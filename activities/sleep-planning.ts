import { EngraphError } from '../src/domain/failure.js';
import { idOf } from '../src/domain/id.js';
import type { QueuedFact, UpdateQueue } from '../src/domain/update-queue.js';
import type { CallOptions } from '../src/ports/vector-store.js';
import { NodeStates } from '../src/store/node-state.js';
import { PendingLinks } from '../src/store/pending-links.js';
import { Plans } from '../src/store/plans.js';
import type { QueueKey, SleepActivities } from './contract-sleep.js';
import { working } from './failures.js';
import { planQueues, type PlanningDeps } from './planning.js';

/** Plans update queues and settles what no queue has. Each may be repeated at any point and does nothing twice. */
export function createPlanningActivities(deps: PlanningDeps): Pick<SleepActivities, 'planReconcile' | 'settlePlan'> {
  const plans = new Plans(deps.store);
  const states = new NodeStates(deps.store);
  return {
    planReconcile: (input) =>
      working(async (signal) => {
        const { fresh, queues, cut, next } = await planQueues(deps, input, { signal });
        return { fresh, queues, cut, ...(next !== undefined && { next }) };
      }),
    settlePlan: (input) =>
      working(async (signal) => {
        const plan = await plans.find(input, { signal });
        if (plan === undefined) {
          throw new EngraphError('not_found', `plan ${input.plan} of this sleep was not made; plan it first`, {
            details: { runId: input.runId, plan: input.plan },
          });
        }
        const token = idOf('settle', input.runId, input.plan);
        return { settled: await states.markFresh(input.space, plan.alone, { fresh: false, token, signal }) };
      }),
  };
}

/** How judging, applying and undoing see what was planned. */
export function plansSeen({ store }: Pick<PlanningDeps, 'store'>) {
  const plans = new Plans(store);
  const pending = new PendingLinks(store);
  return {
    /** The queue as it was planned; undefined where there was no such plan. */
    plannedQueue: (name: QueueKey, options: CallOptions): Promise<UpdateQueue | undefined> => plans.queue(name, options),
    /** Its links were judged: those that earlier plans had cut wait no more. */
    consumed: (name: QueueKey, { links }: UpdateQueue): Promise<void> => {
      const judged = links.filter(({ by }) => by === 'pending');
      return pending.remove(name.space, judged);
    },
    /** A run was undone: links that it had taken from earlier plans wait again. */
    unconsumed: async (space: string, runId: string, options: CallOptions): Promise<void> => {
      const queues = await plans.queuesOf(space, runId, options);
      const taken = queues.flatMap(({ links }) => links.filter(({ by }) => by === 'pending'));
      await pending.add(space, taken, options);
    },
    /** The queues that a run has planned so far, plan by plan. */
    plannedQueues: (space: string, runId: string, options: CallOptions): Promise<UpdateQueue[]> =>
      plans.queuesOf(space, runId, options),
    /** The facts of a run that were fresh and that no queue had. */
    settledFacts: async (space: string, runId: string, options: CallOptions): Promise<QueuedFact[]> =>
      (await plans.of(space, runId, options)).flatMap(({ alone }) => alone),
  };
}
