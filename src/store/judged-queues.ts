import type { JsonObject } from '../domain/json.js';
import type { NetChange } from '../domain/reconciliation.js';
import type { Spent } from '../domain/refinement.js';
import type { QueuedFact, VerdictCounts } from '../domain/update-queue.js';
import type { CallOptions, VectorStore } from '../ports/vector-store.js';
import { Records } from './records.js';

/** Names one queue of one plan of one sleep. */
export interface QueueName {
  readonly space: string;
  readonly runId: string;
  readonly plan: number;
  readonly queue: number;
}

/** What was decided on a queue: kept before anything is changed, with the images of what it changes. */
export interface JudgedQueue {
  /** Stands for the model and for what the queue's facts said, by which it is known again. */
  readonly content: string;
  /** The facts that the decision rests on, as they were planned. */
  readonly facts: readonly QueuedFact[];
  readonly changes: readonly NetChange[];
  readonly mergedWithoutModel: number;
  readonly verdicts: VerdictCounts;
  readonly refused: readonly string[];
  readonly spent: Spent;
}

/**
 * How far a queue's changes are: `begun`, then `applied`. `withdrawing`, then `stale`: somebody changed a fact meanwhile, and
 * what had been written is taken back. Absent: nothing of it was written.
 */
export type Application = 'begun' | 'applied' | 'withdrawing' | 'stale';

export type KeptQueue = JudgedQueue & { readonly name: QueueName; readonly application?: Application };

/** Decisions on update queues, by run, plan and queue: what is applied, what a dry run shows, and what an undo goes back by. */
export class JudgedQueues {
  readonly #records: Records;

  constructor(store: VectorStore) {
    this.#records = new Records(store, 'judged_queue');
  }

  async find(name: QueueName, options: CallOptions = {}): Promise<KeptQueue | undefined> {
    const kept = await this.#records.find(name.space, keyOf(name), options);
    return kept && queueOf(name.space, kept.payload);
  }

  /** Keeps the decision. The first one wins, and is returned. */
  async keep(name: QueueName, judged: JudgedQueue, options: CallOptions = {}): Promise<KeptQueue> {
    const { space, ...place } = name;
    const plain = JSON.parse(JSON.stringify({ ...place, judged })) as JsonObject;
    return queueOf(space, await this.#records.change(space, keyOf(name), (known) => (known ? undefined : plain), options));
  }

  async mark(name: QueueName, application: Application, options: CallOptions = {}): Promise<void> {
    const mark = (known: JsonObject | undefined): JsonObject | undefined =>
      known === undefined || known['application'] === application ? undefined : { ...known, application };
    await this.#records.change(name.space, keyOf(name), mark, options);
  }

  /** All decisions of a run, in the order of plans and queues. */
  async list(space: string, runId: string, options: CallOptions = {}): Promise<KeptQueue[]> {
    const kept: KeptQueue[] = [];
    for await (const fields of this.#records.list(space, `${runId}/`, options)) kept.push(queueOf(space, fields));
    return kept.sort((a, b) => a.name.plan - b.name.plan || a.name.queue - b.name.queue);
  }
}

const keyOf = ({ runId, plan, queue }: QueueName): string => `${runId}/${plan}/${queue}`;

function queueOf(space: string, fields: JsonObject): KeptQueue {
  const { runId, plan, queue, judged, application } = fields as unknown as QueueName & {
    readonly judged: JudgedQueue;
    readonly application?: Application;
  };
  return { ...judged, name: { space, runId, plan, queue }, ...(application !== undefined && { application }) };
}
