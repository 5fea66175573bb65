import type { PlacedFact } from '../domain/fact-order.js';
import { idOf } from '../domain/id.js';
import type { JsonObject } from '../domain/json.js';
import type { QueuedFact, UpdateQueue } from '../domain/update-queue.js';
import type { CallOptions, VectorStore } from '../ports/vector-store.js';
import { Records } from './records.js';

/** Names one plan of one sleep. */
export interface PlanName {
  readonly space: string;
  readonly runId: string;
  readonly plan: number;
}

/** What a plan came to, besides its queues. */
export interface KeptPlan {
  readonly fresh: number;
  /** Targets of each queue, by its index. */
  readonly queues: readonly number[];
  readonly cut: number;
  /** Fresh facts that no queue has: nothing is near them, or all of their links were cut. */
  readonly alone: readonly QueuedFact[];
  /** The last fresh fact that the plan took: the next begins after it. */
  readonly last?: PlacedFact;
  readonly next?: string;
  /** Under which its queues are kept: made of what they are, so that two attempts that saw different facts do not mix theirs. */
  readonly queuesId: string;
}

/** Plans of sleeps as plain records: node ids, versions and numbers, no text. A queue is there before its plan is. */
export class Plans {
  readonly #plans: Records;
  readonly #queues: Records;

  constructor(store: VectorStore) {
    this.#plans = new Records(store, 'plan');
    this.#queues = new Records(store, 'update_queue');
  }

  /** Undefined where this was not planned to the end. */
  async find(name: PlanName, options: CallOptions = {}): Promise<KeptPlan | undefined> {
    const kept = await this.#plans.find(name.space, keyOf(name), options);
    return kept && (kept.payload as unknown as KeptPlan);
  }

  /** One queue of a plan; undefined where the plan has none of this index. */
  async queue(name: PlanName & { readonly queue: number }, options: CallOptions = {}): Promise<UpdateQueue | undefined> {
    const plan = await this.find(name, options);
    if (plan === undefined) return undefined;
    const kept = await this.#queues.find(name.space, queueKey(name, plan.queuesId, name.queue), options);
    return kept && (kept.payload as unknown as UpdateQueue);
  }

  /** All plans of a run, in their order. */
  async of(space: string, runId: string, options: CallOptions = {}): Promise<KeptPlan[]> {
    const plans: KeptPlan[] = [];
    for (let plan = 0; ; plan++) {
      const kept = await this.find({ space, runId, plan }, options);
      if (kept === undefined) return plans;
      plans.push(kept);
    }
  }

  /** All queues of a run, plan by plan. */
  async queuesOf(space: string, runId: string, options: CallOptions = {}): Promise<UpdateQueue[]> {
    const queues: UpdateQueue[] = [];
    for (const [plan, kept] of (await this.of(space, runId, options)).entries()) {
      for (const queue of kept.queues.keys()) {
        const found = await this.queue({ space, runId, plan, queue }, options);
        if (found !== undefined) queues.push(found);
      }
    }
    return queues;
  }

  /** Keeps the queues, then the plan. The plan that is kept first stands, and is returned. */
  async keep(
    name: PlanName,
    plan: Omit<KeptPlan, 'queuesId'>,
    queues: readonly UpdateQueue[],
    options: CallOptions = {},
  ): Promise<KeptPlan> {
    const queuesId = idOf('queues', JSON.stringify(queues));
    await this.#queues.put(
      name.space,
      new Map(queues.map((queue, index) => [queueKey(name, queuesId, index), plainOf(queue)])),
      options,
    );
    const whole = plainOf({ ...plan, queuesId });
    const kept = await this.#plans.change(name.space, keyOf(name), (known) => (known ? undefined : whole), options);
    return kept as unknown as KeptPlan;
  }
}

const keyOf = ({ runId, plan }: PlanName): string => `${runId}/${plan}`;

const queueKey = (name: PlanName, queuesId: string, queue: number): string => `${keyOf(name)}/${queuesId}/${queue}`;

const plainOf = (value: object): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject;
