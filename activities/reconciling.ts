import { activityInfo } from '@temporalio/activity';

import { EngraphError } from '../src/domain/failure.js';
import type { SemanticNode } from '../src/domain/graph.js';
import { hashOf, idOf } from '../src/domain/id.js';
import { Overlay } from '../src/domain/reconciliation.js';
import { candidatesOf, mergeDuplicate, targetsOf } from '../src/domain/reconciliation-targets.js';
import { addSpent, NOTHING_SPENT, type Totals } from '../src/domain/refinement.js';
import { NO_VERDICTS, VERDICTS, type UpdateQueue, type VerdictCounts, type VerdictKind } from '../src/domain/update-queue.js';
import { dot } from '../src/domain/vector.js';
import { decide, type Decision } from '../src/domain/verdicts.js';
import type { VectorStore } from '../src/ports/vector-store.js';
import type { ReconcileFact, ReconcileReply } from '../src/prompts/inputs-reconcile.js';
import { parseReconcile, reconcilePrompt } from '../src/prompts/reconcile.js';
import type { JudgedQueue, QueueName } from '../src/store/judged-queues.js';
import { NodeStates } from '../src/store/node-state.js';
import type { NodeStore } from '../src/store/nodes.js';
import { plannedFacts, type PlannedFact } from '../src/store/planned-facts.js';
import { isAsPlanned } from '../src/store/taking-back.js';
import { Undoing } from '../src/store/undoing.js';
import { UnusableReplies } from '../src/store/unusable-replies.js';
import { ask, type Asking } from './asking.js';

/** What judging works with. */
export type JudgingDeps = Asking & { readonly store: VectorStore; readonly nodes: NodeStore };

/**
 * Decides on one queue, target by target in time order, on an overlay; nothing is changed. What says the same is merged without
 * a model, all else costs one question a target. What is judged is what was planned, so that a repeated attempt decides the
 * same. A queue of which a fact was changed since is not judged, nor one whose decision by the same model was undone.
 */
export async function judge(deps: JudgingDeps, name: QueueName, queue: UpdateQueue, signal: AbortSignal): Promise<JudgedQueue> {
  const { store, model } = deps;
  const planned = await plannedFacts(store, name.space, queue.facts, { signal });
  const content = contentOf(model.name, [...planned.values()]);
  const states = await new NodeStates(store).of(name.space, [...planned.keys()], { signal });
  const isStale = queue.facts.some((fact) => !planned.has(fact.nodeId) || !isAsPlanned(fact, states.get(fact.nodeId)));
  const sum = new Sum();
  const told = (): Omit<JudgedQueue, 'changes'> => ({ facts: queue.facts, content, ...sum.told(model.name) });
  if (isStale || (await new Undoing(store, deps.nodes).wasUndone(name.space, content, { signal })))
    return { ...told(), changes: [] };

  // A fact that is fresh, and in this queue only as a neighbour, is a later plan's to take.
  const settles = new Set(queue.facts.filter(({ fresh }) => fresh).map(({ nodeId }) => nodeId));
  const overlay = new Overlay(
    [...planned.values()].map(({ fact }) => fact),
    settles,
  );
  const cosine = (a: string, b: string): number => dot(planned.get(a)?.vector ?? [], planned.get(b)?.vector ?? []);
  for (const target of targetsOf(queue, overlay)) {
    const candidates = candidatesOf(queue, overlay, target);
    if (candidates.length === 0) continue;
    if (mergeDuplicate(overlay, target, candidates, cosine)) sum.mergedWithoutModel += 1;
    else sum.add(await question(deps, name, overlay, { target, candidates, signal }));
  }
  return { ...told(), changes: await withoutKnown(deps, name.space, overlay, signal) };
}

/** One question about a target, under an id made of its content: a dry run's answer is not bought again. */
async function question(
  deps: JudgingDeps,
  { space, runId }: QueueName,
  overlay: Overlay,
  { target, candidates, signal }: { target: string; candidates: readonly string[]; signal: AbortSignal },
): Promise<Decision & { spent: Totals }> {
  const unusable = new UnusableReplies(deps.store);
  const facts = [target, ...candidates].map((id) => overlay.fact(id));
  const content = idOf('reconcile', deps.model.name, ...facts.flatMap(({ id, version, text }) => [id, version, hashOf(text)]));
  const failed = await unusable.before(space, content, runId, { signal });
  const prompt = reconcilePrompt({
    fact: shown(overlay.fact(target)),
    memories: candidates.map((id, at) => ({ n: at + 1, ...shown(overlay.fact(id)) })),
  });
  const asked = { space, batchId: idOf('call', content, failed), attempt: activityInfo().attempt, buyer: runId, signal };
  let answer: { reply: ReconcileReply; spent: Totals };
  try {
    answer = await ask(deps, asked, prompt, parseReconcile);
  } catch (error) {
    if (error instanceof EngraphError && error.kind === 'llm_unparseable') await unusable.add(space, content, runId);
    throw error;
  }
  return { ...decide(overlay, target, candidates, answer.reply.verdicts), spent: answer.spent };
}

function shown({ text, speaker, restatedAt, validFrom }: SemanticNode): ReconcileFact {
  const at = restatedAt ?? validFrom;
  return { text, ...(speaker !== undefined && { speaker }), ...(at !== undefined && { at }) };
}

/** A general fact that the same members made before is there already, and stays as it is. */
async function withoutKnown({ store }: JudgingDeps, space: string, overlay: Overlay, signal: AbortSignal) {
  const changes = overlay.changes();
  const made = changes.flatMap((change) => (change.act === 'insert' ? [change.after.id] : []));
  const states = await new NodeStates(store).of(space, made, { signal });
  return changes.filter((change) => change.act !== 'insert' || (states.get(change.after.id)?.isRetired ?? true));
}

const contentOf = (model: string, planned: readonly PlannedFact[]): string =>
  idOf('queue', model, ...planned.flatMap(({ fact }) => [fact.id, hashOf(fact.text)]).sort());

/** What the questions of a queue came to so far. */
class Sum {
  mergedWithoutModel = 0;
  #verdicts: VerdictCounts = NO_VERDICTS;
  #refused: readonly string[] = [];
  #spent: Totals = NOTHING_SPENT;

  add({ verdicts, refused, spent }: Decision & { spent: Totals }): void {
    const counts = VERDICTS.map((verdict: VerdictKind) => [verdict, this.#verdicts[verdict] + verdicts[verdict]]);
    this.#verdicts = Object.fromEntries(counts) as VerdictCounts;
    this.#refused = [...this.#refused, ...refused];
    this.#spent = addSpent(this.#spent, spent);
  }

  told(model: string): Pick<JudgedQueue, 'mergedWithoutModel' | 'verdicts' | 'refused' | 'spent'> {
    return {
      mergedWithoutModel: this.mergedWithoutModel,
      verdicts: this.#verdicts,
      refused: this.#refused,
      spent: { ...this.#spent, model },
    };
  }
}
