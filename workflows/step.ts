import * as wf from '@temporalio/workflow';

import type { KeptContext } from '../activities/contract.js';
import { claim, type Text } from '../src/domain/claim.js';
import type { StepLink } from '../src/domain/graph.js';
import { addSaved, addSpent, type EndReason, type RoundReport, type Totals } from '../src/domain/refinement.js';
import type { Overlay } from '../src/domain/subgraph.js';
import { attempt, type Attempt } from './attempt.js';
import { text } from './proxies.js';
import { refine, verified } from './refine.js';
import { enterRound, showRounds, type StepEnd, type TaskRun } from './task-run.js';

/** What a running step can see and has tried [FluxMem: G_t]. */
export interface StepView {
  readonly step: number;
  readonly observation: string;
  /** Whether a mature skill's subgraph took the place of formation. */
  readonly mature: boolean;
  links: readonly StepLink[];
  context: KeptContext;
  nextNumber: number;
  /** Every node linked in any round: an expand adds none of them again. */
  readonly tried: Set<string>;
  readonly edits: string[];
  overlays: readonly Overlay[];
  /** How often each node was reshaped, by number. */
  readonly spans: Map<number, number>;
}

/** History this large stops a task honestly before the server does (its limit is 50 MB). */
const HISTORY_FULL_BYTES = 40_000_000;

/**
 * One step: form, then rounds of execute and repair, until the first success or the last repair. A success at round k is
 * k + 1 scheduled calls of `execute`; nothing runs again after it.
 */
export async function attemptStep(run: TaskRun, step: number, observation: string): Promise<StepEnd> {
  let before = run.spent;
  let view = await form(run, step, observation);
  for (let round = 0; ; round++) {
    enterRound(run, step, round);
    const made = await attempt(run, view, round);
    const report = reportOf(view, round, made);
    tell(run, { ...report, spent: since(before, run.spent) });
    if (made.outcome !== 'failed') return succeed(run, view, round, made);
    const stop = made.failedFor ?? mustStop(run, round);
    if (stop !== undefined) return give(run, view, stop, made);
    if (view.mature && made.fault === undefined) {
      view = await form(run, step, observation, { round: round + 1, firstNumber: view.nextNumber });
      run.rounds.pop();
      tell(run, { ...report, acts: view.links, spent: since(before, run.spent) });
      before = run.spent;
      continue;
    }
    const refined = await refine(run, view, round, made);
    run.rounds.pop();
    tell(run, { ...report, ...refined, spent: since(before, run.spent) });
    before = run.spent;
  }
}

/** Forms the step's subgraph; `again` where a mature skill's failed: then as for a task that none fits. */
async function form(
  run: TaskRun,
  step: number,
  observation: string,
  again?: { readonly round: number; readonly firstNumber: number },
): Promise<StepView> {
  const { space, taskId, instruction, retrieval, budgets, replay } = run.task;
  const query: Text[] = [claim(space, instruction), claim(space, observation)];
  const key = { space, taskId, step, round: again?.round ?? 0 };
  const summary = `step ${step} · retrieve ${retrieval.mode}, top ${retrieval.topKSemantic}`;
  const found = await text().retrieve.executeWithOptions({ summary }, [
    {
      ...{ ...key, instruction: claim(space, instruction), observation: claim(space, observation), retrieval, budgets },
      ...(replay && { replay }),
      ...(again && { afresh: true, firstNumber: again.firstNumber }),
    },
  ]);
  const formed = await verified(run, found, { ...key, query, keep: retrieval.topKSemantic, act: 'activates' });
  run.acts.push(...formed.links);
  if (found.saved !== undefined) run.saved = addSaved(run.saved, found.saved);
  return {
    step,
    mature: found.saved !== undefined,
    observation,
    links: formed.links,
    context: formed.context,
    nextNumber: found.nextNumber,
    tried: new Set(formed.links.map((link) => link.nodeId)),
    edits: [],
    overlays: [],
    spans: new Map(),
  };
}

/** Why there may be no further repair, if so. */
function mustStop(run: TaskRun, round: number): EndReason | undefined {
  const { limits } = run.task;
  if (round >= limits.maxRefinementRounds) return 'rounds_exhausted';
  const spent = addSpent(run.spent, run.agentSpent);
  if (spent.inputTokens + spent.outputTokens >= limits.tokens) return 'tokens';
  return wf.workflowInfo().historySize > HISTORY_FULL_BYTES ? 'history_full' : undefined;
}

function succeed(run: TaskRun, view: StepView, round: number, made: Attempt): StepEnd {
  run.trajectory.push({ observation: claim(run.task.space, view.observation), action: made.action });
  inherit(run, view);
  const cited = new Set(made.cited);
  const inContext = view.links.filter(({ number }) => !view.context.dropped.includes(number));
  run.receipts.push({ step: view.step, round, nodes: inContext.map((link) => ({ ...link, cited: cited.has(link.number) })) });
  for (const overlay of view.overlays) {
    const link = view.links.find(({ number, kind }) => number === overlay.number && kind !== 'episodic');
    if (link) run.promotions.push({ nodeId: link.nodeId, version: link.version, ref: overlay.ref, direction: overlay.direction });
  }
  return made.outcome === 'succeeded'
    ? { then: 'end', reason: 'succeeded' }
    : { then: 'continue', observation: made.observation };
}

/** The task ends here without success: what was done last belongs to its episode too. */
function give(run: TaskRun, view: StepView, reason: EndReason, made: Attempt): StepEnd {
  run.trajectory.push({ observation: claim(run.task.space, view.observation), action: made.action });
  inherit(run, view);
  return { then: 'end', reason };
}

/** The skills that stood in the context of a round which ended its step. */
function inherit(run: TaskRun, view: StepView): void {
  for (const { kind, number, nodeId } of view.links)
    if (kind === 'procedural' && !view.context.dropped.includes(number)) run.inherited.add(nodeId);
}

function reportOf(view: StepView, round: number, made: Attempt): Omit<RoundReport, 'spent'> {
  return {
    step: view.step,
    round,
    links: view.links,
    contextTokens: view.context.tokens,
    action: made.action,
    outcome: made.outcome,
    ...(made.outcome === 'failed' && { feedback: made.feedback }),
    feedbackSource: made.feedbackSource,
    acts: [],
    unknownCitations: made.unknownCitations,
    agentSpent: made.agentSpent,
  };
}

function tell(run: TaskRun, report: RoundReport): void {
  run.rounds.push(report);
  showRounds(run);
}

const since = (before: Totals, now: Totals): Totals =>
  addSpent(now, {
    calls: -before.calls,
    inputTokens: -before.inputTokens,
    outputTokens: -before.outputTokens,
  });
