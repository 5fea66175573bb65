import { EngraphError } from '../domain/failure.js';
import { idOf } from '../domain/id.js';
import type { NetChange } from '../domain/reconciliation.js';
import type { CallOptions, VectorStore } from '../ports/vector-store.js';
import { JudgedQueues, type KeptQueue, type QueueName } from './judged-queues.js';
import { NodeStates } from './node-state.js';
import type { NodeStore } from './nodes.js';
import { isAsPlanned, isToTakeBack, nodeIdOf, orderedBack, standingOf, takeBack, type Made } from './taking-back.js';
import { abortedBy } from './versions.js';

/** What applying a queue came to. */
export interface AppliedChanges {
  readonly revised: number;
  readonly retired: number;
  readonly inserted: number;
  /** True where a fact of the queue was changed by somebody else since the plan: then nothing of the decision stands. */
  readonly stale: boolean;
}

/** The operation that changes a node for a queue: the same in every attempt, and what an undo knows its own writes by. */
export const changeToken = ({ runId, plan, queue }: QueueName, nodeId: string): string =>
  idOf('reconcile', runId, plan, queue, nodeId);

/**
 * Makes the changes that were judged on a queue, all or none (design.md section 2): newer points first, then what they replace
 * by expected version, so that a crash between leaves nothing missing. Done again at any point it goes on where it was.
 */
export class Reconciling {
  readonly #nodes: NodeStore;
  readonly #judged: JudgedQueues;
  readonly #states: NodeStates;

  constructor(store: VectorStore, nodes: NodeStore) {
    this.#nodes = nodes;
    this.#judged = new JudgedQueues(store);
    this.#states = new NodeStates(store);
  }

  /** Fails with `not_found` where the queue was never judged. */
  async apply(name: QueueName, { at, signal }: { readonly at: string } & CallOptions): Promise<AppliedChanges> {
    const queue = await this.#judged.find(name, abortedBy(signal));
    if (queue === undefined) {
      throw new EngraphError('not_found', `queue ${name.queue} of plan ${name.plan} was not judged; judge it first`, {
        details: { runId: name.runId, plan: name.plan, queue: name.queue },
      });
    }
    if (queue.application === 'applied') return counted(queue.changes);
    if (queue.application === 'stale') return STALE;
    if (queue.application === 'withdrawing') return await this.#withdraw(queue, at);
    if (!(await this.#isAsJudged(queue, signal))) return await this.#withdraw(queue, at);
    // From here on it goes to its end: a few writes, which a cancellation would leave half made.
    await this.#judged.mark(name, 'begun');
    try {
      for (const change of queue.changes) await this.#make(name, change, at);
    } catch (error) {
      if (!isConflict(error)) throw error;
      return await this.#withdraw(queue, at);
    }
    await this.#settle(queue);
    await this.#judged.mark(name, 'applied');
    return counted(queue.changes);
  }

  /** Whether all that the decision rests on is as it was planned, or as this very operation has written it. */
  async #isAsJudged({ name, facts, changes }: KeptQueue, signal: AbortSignal | undefined): Promise<boolean> {
    const ids = [...facts.map(({ nodeId }) => nodeId), ...changes.map(nodeIdOf)];
    const states = await this.#states.of(name.space, ids, abortedBy(signal));
    const changed = new Set(changes.map(nodeIdOf));
    const untouched = facts.filter(({ nodeId }) => !changed.has(nodeId));
    return (
      untouched.every((fact) => isAsPlanned(fact, states.get(fact.nodeId))) &&
      changes.every((change) => {
        const nodeId = nodeIdOf(change);
        return standingOf(change, states.get(nodeId), changeToken(name, nodeId)) !== 'changed';
      })
    );
  }

  async #make(name: QueueName, change: NetChange, at: string): Promise<void> {
    const { space } = name;
    const nodeId = nodeIdOf(change);
    const token = changeToken(name, nodeId);
    switch (change.act) {
      case 'insert': {
        const { space: _space, version: _version, recordedAt: _recordedAt, ...node } = change.after;
        await this.#nodes.insert(space, [node], { recordedAt: at, token });
        return;
      }
      case 'revise':
        await this.#nodes.replace(space, { ...change.after, version: change.before.version }, { recordedAt: at, token });
        return;
      case 'retire': {
        const { validTo } = change;
        const ended = { nodeId, version: change.before.version, ...(validTo !== undefined && { validTo }) };
        await this.#states.retire(space, ended, { at, token });
      }
    }
  }

  /** Takes back what was written, if anything was: the facts are then as they were but for what somebody else changed. */
  async #withdraw(queue: KeptQueue, at: string): Promise<AppliedChanges> {
    const { name, changes } = queue;
    await this.#judged.mark(name, 'withdrawing');
    const states = await this.#states.of(name.space, changes.map(nodeIdOf));
    const made = changes
      .map((change): Made => {
        const madeBy = changeToken(name, nodeIdOf(change));
        return { change, madeBy, token: idOf('withdraw', madeBy), ...(change.act !== 'insert' && { image: change.before }) };
      })
      .filter((one) => isToTakeBack(one, states.get(nodeIdOf(one.change))));
    const taking = { nodes: this.#nodes, states: this.#states, space: name.space, at };
    for (const one of orderedBack(made)) await takeBack(taking, one);
    await this.#judged.mark(name, 'stale');
    return STALE;
  }

  async #settle({ name, facts }: KeptQueue): Promise<void> {
    const token = idOf('settle', name.runId, name.plan, name.queue);
    const fresh = facts.filter((fact) => fact.fresh);
    await this.#states.markFresh(name.space, fresh, { fresh: false, token });
  }
}

const STALE: AppliedChanges = { revised: 0, retired: 0, inserted: 0, stale: true };

function counted(changes: readonly NetChange[]): AppliedChanges {
  const count = (act: NetChange['act']): number => changes.filter((change) => change.act === act).length;
  return { revised: count('revise'), retired: count('retire'), inserted: count('insert'), stale: false };
}

const isConflict = (error: unknown): boolean =>
  error instanceof EngraphError && error.kind === 'version_conflict' && !error.retryable;
