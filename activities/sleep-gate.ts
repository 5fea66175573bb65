import { EngraphError } from '../src/domain/failure.js';
import type { UpdateQueue } from '../src/domain/update-queue.js';
import type { CallOptions } from '../src/ports/vector-store.js';
import { SelfRecallGate } from '../src/store/self-recall.js';
import { SleepRuns } from '../src/store/sleep-runs.js';
import { Undoing, type FreshFact } from '../src/store/undoing.js';
import type { SleepActivities } from './contract-sleep.js';
import { working } from './failures.js';
import type { Memory } from './formation.js';

/** What the gate works with. */
export type GateDeps = Pick<Memory, 'store' | 'nodes' | 'recall'> & {
  readonly now: () => Date;
  /** The queues that a run has planned so far. */
  readonly plannedQueues: (space: string, runId: string, options: CallOptions) => Promise<readonly UpdateQueue[]>;
  /** Facts of a run that were fresh and that no queue had. */
  readonly settledFacts: (space: string, runId: string, options: CallOptions) => Promise<readonly FreshFact[]>;
  /** Called when a run was undone: what it had consumed of earlier plans waits again. */
  readonly unconsumed?: (space: string, runId: string, options: CallOptions) => Promise<void>;
};

/** What keeps a sleep from harm: recall measured before and after, the way back, and what is told of it later. */
export function createGateActivities(deps: GateDeps): Pick<SleepActivities, 'measureRecall' | 'undoSleep' | 'recordSleep'> {
  const gate = new SelfRecallGate(deps.store, deps.nodes, deps.recall);
  const undoing = new Undoing(deps.store, deps.nodes);
  const runs = new SleepRuns(deps.store);
  return {
    measureRecall: ({ space, runId, when, sample }) =>
      working(async (signal) => {
        const queues = await deps.plannedQueues(space, runId, { signal });
        const first = queues.flatMap(({ facts }) => facts.map(({ nodeId }) => nodeId));
        return await gate.measure({ space, runId, when, sample, first }, { signal });
      }),
    undoSleep: ({ space, runId }) =>
      working(async (signal) => {
        const [settled, queues] = [
          await deps.settledFacts(space, runId, { signal }),
          await deps.plannedQueues(space, runId, { signal }),
        ];
        const isKnown = settled.length + queues.length > 0 || (await runs.find(space, runId, { signal })) !== undefined;
        if (!isKnown)
          throw new EngraphError(
            'not_found',
            `the space had no sleep ${JSON.stringify(runId)}; \`engraph sleep list\` names them`,
            {
              details: { runId },
            },
          );
        const undone = await undoing.undo(space, runId, { at: deps.now().toISOString(), settled, signal });
        if (undone.inTheWay.length === 0) await deps.unconsumed?.(space, runId, { signal });
        return undone;
      }),
    recordSleep: ({ space, runId, report }) =>
      working(async (signal) => await runs.keep(space, { runId, report, at: deps.now().toISOString() }, { signal })),
  };
}
