import type { Spent } from '../src/domain/refinement.js';
import type { SelfRecall } from '../src/domain/sleep.js';
import type { VerdictCounts } from '../src/domain/update-queue.js';
import type { ExtractInput } from './contract-conversation.js';

/** Names one sleep of one space; every write is made under ids derived from it. */
export interface SleepKey {
  readonly space: string;
  /** uuid5 of the space and the workflow's first run, the same in every attempt and every continuation. */
  readonly runId: string;
}

export interface PlanInput extends SleepKey {
  /** Which plan of this run: 0 for the first. */
  readonly plan: number;
  /** Fresh facts taken at most, oldest first. */
  readonly planFacts: number;
  /** `next` of the plan before, so that no fact is planned twice in one run, whatever became of its queue. */
  readonly after?: string;
  /** Only the facts of this batch, for `update: "online"`; all fresh ones where absent. */
  readonly batch?: { readonly conversation: string; readonly batchId: string };
}

/** What a plan came to. The queues themselves are kept in the store under (runId, plan, index). */
export interface Planned {
  /** Fresh facts that the plan took. */
  readonly fresh: number;
  /** Of each queue by its index, how many targets it has: what may cost a model call. */
  readonly queues: readonly number[];
  /** Links cut off, kept in the store, and taken into the next sleep's plan. */
  readonly cut: number;
  /** Where the next plan of the run begins; absent where no fresh fact is left for it. */
  readonly next?: string;
}

export interface QueueKey extends SleepKey {
  readonly plan: number;
  readonly queue: number;
}

/** What was decided on a queue. Ids, numbers and codes only; the changes themselves are kept in the store. */
export interface Judged {
  readonly mergedWithoutModel: number;
  readonly verdicts: VerdictCounts;
  readonly refused: readonly string[];
  /** Nodes that the decision changes. */
  readonly changes: number;
  readonly spent: Spent;
}

export interface Applied {
  readonly revised: number;
  readonly retired: number;
  readonly inserted: number;
  /** True where a fact of the queue was changed by somebody else since the plan: then nothing of it was changed, and its facts stay fresh. */
  readonly stale: boolean;
}

/** A node that keeps a run from being undone, and why. */
export interface InTheWay {
  readonly nodeId: string;
  /** `changed`: written again since. `used`: a later node's edge points at it. */
  readonly why: 'changed' | 'used';
  /** The later node, where one points at it. */
  readonly by?: string;
}

export interface Undone {
  /** Nodes that are again as they were before the run; 0 where something is in the way. */
  readonly restored: number;
  readonly inTheWay: readonly InTheWay[];
}

/** What a sleep reconciles facts by. Each may be repeated at any point and does nothing twice. */
export interface SleepActivities {
  /** Batches of the space that are parked, oldest first. Queue `…-store`. */
  listParked(input: { readonly space: string }): Promise<{ readonly batches: readonly ExtractInput[] }>;
  /** The parked batch is done: its record goes. Queue `…-store`. */
  unparkBatch(input: { readonly space: string; readonly conversation: string; readonly batchId: string }): Promise<void>;
  /** Candidates, components and queues of the fresh facts, kept under (runId, plan); no model call. Queue `…-text`. */
  planReconcile(input: PlanInput): Promise<Planned>;
  /**
   * Judges a queue, target by target in time order: ONE model call a target at most; what comes of it is kept with before-images.
   * Nothing is changed, unless `apply` asks for that too: then `applied` is there, or what the store could not take just now is
   * left to `applyQueue`. Queue `…-model`.
   */
  judgeQueue(input: QueueKey & { readonly apply?: boolean }): Promise<Judged & { readonly applied?: Applied }>;
  /** Makes the changes that were judged, all or none, and takes `fresh` from the queue's facts. Queue `…-text`. */
  applyQueue(input: QueueKey): Promise<Applied>;
  /** Takes `fresh` from the facts of a plan that no queue has: nothing is near them. Queue `…-store`. */
  settlePlan(input: SleepKey & { readonly plan: number }): Promise<{ readonly settled: number }>;
  /** Draws the gate's sample, the same for every call of a run, and says how many of it are found by their turns. Queue `…-text`. */
  measureRecall(input: SleepKey & { readonly when: 'before' | 'after'; readonly sample: number }): Promise<SelfRecall>;
  /** Undoes a run from its before-images, wholly or not at all. Queue `…-text`. */
  undoSleep(input: SleepKey): Promise<Undone>;
  /** Keeps what the run came to, for `engraph sleep list` and `show`. Queue `…-store`. */
  recordSleep(input: SleepKey & { readonly report: string }): Promise<void>;
}
