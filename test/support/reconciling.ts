import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';

import type { SleepActivities } from '../../activities/contract-sleep.js';
import { createGateActivities } from '../../activities/sleep-gate.js';
import { createReconcileActivities } from '../../activities/sleep-reconcile.js';
import type { OpenMemory } from '../../src/compose.js';
import { compareFacts } from '../../src/domain/fact-order.js';
import type { SemanticNode } from '../../src/domain/graph.js';
import type { CandidateLink, UpdateQueue, VerdictKind } from '../../src/domain/update-queue.js';
import type { LanguageModel } from '../../src/ports/language-model.js';
import type { ReconcileInput } from '../../src/prompts/inputs-reconcile.js';
import type { NewNode } from '../../src/store/nodes.js';
import { aFact } from './nodes.js';
import { ScriptedModel } from './scripted-model.js';

type Fact = Extract<NewNode, { kind: 'semantic' }>;

/** A fact that no sleep has seen yet. */
export const freshFact = (text: string, more: Partial<Fact> = {}): Fact => ({ ...aFact(text), status: 'fresh', ...more });

/** Puts facts into a space, each in a write of its own. */
export async function storingFacts({ nodes }: OpenMemory, space: string, ...facts: readonly NewNode[]): Promise<void> {
  for (const fact of facts)
    await nodes.insert(space, [fact], { recordedAt: '2026-01-01T00:00:00.000Z', token: `store ${fact.id}` });
}

/** All current facts of a space, in time order. */
export async function factsOf({ nodes }: OpenMemory, space: string): Promise<SemanticNode[]> {
  const facts: SemanticNode[] = [];
  for await (const node of nodes.scan(space, { forms: ['fact'] })) facts.push(node as SemanticNode);
  return facts.sort(compareFacts);
}

/** One queue of these facts as they are now, each linked with every earlier one. */
export function queueOf(facts: readonly SemanticNode[]): UpdateQueue {
  const ordered = [...facts].sort(compareFacts);
  const links = ordered.flatMap((later, at) =>
    ordered.slice(0, at).map(({ id }): CandidateLink => ({ earlier: id, later: later.id, weight: 1, by: 'near' })),
  );
  return { facts: ordered.map(({ id, version, status }) => ({ nodeId: id, version, fresh: status === 'fresh' })), links };
}

export interface Sleeping {
  readonly activities: Pick<SleepActivities, 'judgeQueue' | 'applyQueue' | 'measureRecall' | 'undoSleep' | 'recordSleep'>;
  /** Plans queues for a run, as they then are. */
  plan(runId: string, queues: readonly UpdateQueue[]): void;
  /** Judges and applies every planned queue of a run, in this order of indices (that of the plan by default). */
  reconcile(space: string, runId: string, order?: readonly number[]): Promise<void>;
}

/** The activities of a sleep over a memory, run as a worker runs them, with queues planned by hand. */
export function sleeping(memory: OpenMemory, model: LanguageModel, { at = '2026-03-01T00:00:00Z' } = {}): Sleeping {
  const plans = new Map<string, readonly UpdateQueue[]>();
  const deps = {
    ...memory,
    model,
    now: () => new Date(at),
    plannedQueue: ({ runId, queue }: { runId: string; queue: number }) => Promise.resolve(plans.get(runId)?.[queue]),
    plannedQueues: (_space: string, runId: string) => Promise.resolve(plans.get(runId) ?? []),
    settledFacts: () => Promise.resolve([]),
  };
  const made = { ...createReconcileActivities(deps), ...createGateActivities(deps) };
  const quiet = { logger: new DefaultLogger('ERROR') };
  const run =
    <In, Out>(activity: (input: In) => Promise<Out>) =>
    (input: In) =>
      new MockActivityEnvironment({}, quiet).run<[In], Out, (input: In) => Promise<Out>>(activity, input);
  const activities = {
    judgeQueue: run(made.judgeQueue),
    applyQueue: run(made.applyQueue),
    measureRecall: run(made.measureRecall),
    undoSleep: run(made.undoSleep),
    recordSleep: run(made.recordSleep),
  };
  return {
    activities,
    plan: (runId, queues) => void plans.set(runId, queues),
    reconcile: async (space, runId, order) => {
      for (const queue of order ?? (plans.get(runId) ?? []).keys()) {
        await activities.judgeQueue({ space, runId, plan: 0, queue });
        await activities.applyQueue({ space, runId, plan: 0, queue });
      }
    },
  };
}

/** One verdict of a reply. */
export const verdict = (n: number, kind: VerdictKind, text: string | null = null) => ({ n, verdict: kind, text });

/** A model that answers each question by its target's text: verdicts, or none. */
export function reconciler(
  script: Readonly<Record<string, readonly object[]>> | ((input: ReconcileInput) => readonly object[]),
): ScriptedModel {
  const say = typeof script === 'function' ? script : ({ fact }: ReconcileInput) => script[fact.text] ?? [];
  return new ScriptedModel({
    reconcile: ({ input }) => ({ reason: 'as scripted', verdicts: say(input as unknown as ReconcileInput) }),
  });
}

/** The number under which a memory of this text is shown; 99 where it is not. */
export const numberOf = ({ memories }: ReconcileInput, text: string): number =>
  memories.find((memory) => memory.text === text)?.n ?? 99;
