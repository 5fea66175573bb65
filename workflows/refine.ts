import * as wf from '@temporalio/workflow';

import type { Candidate, KeptContext } from '../activities/contract.js';
import { claim, type Text } from '../src/domain/claim.js';
import { isOutsideMemory, type Attribution, type Edit } from '../src/domain/edit.js';
import type { StepLink } from '../src/domain/graph.js';
import { describeEdits } from '../src/domain/refinement.js';
import { applyChange, applyVerified, outside, shown, type Overlay } from '../src/domain/subgraph.js';
import type { Attempt } from './attempt.js';
import { model, text } from './proxies.js';
import type { StepView } from './step.js';
import { spend, type TaskRun } from './task-run.js';

/** First wait before a failed tool or environment is tried again; it doubles each round up to the longest. */
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

/**
 * Between a failed round and the next: attribute the failure, then edit what the step sees. A fault outside memory edits
 * nothing; the same context is tried again, after a wait where a tool or the environment failed.
 */
export async function refine(
  run: TaskRun,
  view: StepView,
  round: number,
  made: Attempt,
): Promise<{ attribution: Attribution; acts: readonly StepLink[] }> {
  const attribution = await attribute(run, view, round, made);
  if (isOutsideMemory(attribution.fault)) {
    if (attribution.fault !== 'not_memory') {
      await wf.sleep(Math.min(FIRST_WAIT_MS * 2 ** round, LONGEST_WAIT_MS), {
        summary: `round ${round + 1} · wait: ${attribution.fault} fault`,
      });
    }
    return { attribution, acts: [] };
  }
  view.edits.push(...attribution.edits.map(({ edit }) => edit));
  await reshape(run, view, round, made.feedback, attribution.edits);
  return { attribution, acts: await repair(run, view, round + 1, made.feedback, attribution.edits) };
}

async function attribute(run: TaskRun, view: StepView, round: number, made: Attempt): Promise<Attribution> {
  if (made.fault !== undefined) return { fault: made.fault, edits: [], refused: [], attributed: true };
  const { space, taskId, instruction, edits } = run.task;
  const { spent, ...attribution } = await model().attribute.executeWithOptions(
    { summary: `step ${view.step} · round ${round} · attribute the failure` },
    [
      {
        ...{ space, taskId, step: view.step, round },
        instruction: claim(space, instruction),
        observation: claim(space, view.observation),
        action: made.action,
        feedback: made.feedback,
        links: shown(view.links),
        cited: made.cited,
        allowed: edits,
        tried: view.edits,
      },
    ],
  );
  spend(run, spent);
  return attribution;
}

/** Rewrites the nodes that the edits name, one model call each; a rewrite that can't be had for good leaves its node as it is. */
async function reshape(run: TaskRun, view: StepView, round: number, feedback: Text, edits: readonly Edit[]): Promise<void> {
  const { space, taskId, instruction } = run.task;
  for (const edit of edits) {
    const link = edit.edit === 'reshape' ? view.links.find(({ number }) => number === edit.node) : undefined;
    if (edit.edit !== 'reshape' || link === undefined) continue;
    const { direction } = edit;
    const span = (view.spans.get(link.number) ?? 0) + 1;
    view.spans.set(link.number, span);
    const summary = `step ${view.step} · round ${round + 1} · reshape node ${link.number}: ${direction}`;
    const { overlay, spent } = await model().reshape.executeWithOptions({ summary }, [
      {
        ...{ space, taskId, step: view.step, round },
        instruction: claim(space, instruction),
        feedback,
        link: shown([link])[0] ?? link,
        direction,
        span,
      },
    ]);
    spend(run, spent);
    const made: Overlay = { number: link.number, ref: overlay, direction };
    view.overlays = [...view.overlays.filter(({ number }) => number !== link.number), made];
  }
}

async function repair(
  run: TaskRun,
  view: StepView,
  round: number,
  feedback: Text,
  edits: readonly Edit[],
): Promise<readonly StepLink[]> {
  const { space, taskId, instruction, retrieval, budgets } = run.task;
  const summary = `step ${view.step} · round ${round} · ${describeEdits(edits)}`;
  const repaired = await text().repair.executeWithOptions({ summary }, [
    {
      ...{ space, taskId, step: view.step, round },
      instruction: claim(space, instruction),
      observation: claim(space, view.observation),
      feedback,
      links: shown(view.links),
      tried: [...view.tried].filter((nodeId) => !view.links.some((link) => link.nodeId === nodeId)),
      edits,
      overlays: view.overlays,
      nextNumber: view.nextNumber,
      retrieval,
      budgets,
    },
  ]);
  const changed = applyChange(view.links, repaired, round);
  const key = { space, taskId, step: view.step, round };
  const formed = { links: changed.links, context: repaired.context, shortlist: repaired.shortlist };
  const seen = await verified(run, formed, {
    ...key,
    query: [claim(space, instruction), feedback],
    keep: retrieval.topKExpand,
    act: 'expands',
  });
  const expanded = seen.links.filter(({ act, round: at }) => act === 'expands' && at === round);
  const acts = [...changed.acts.filter(({ act }) => act !== 'expands'), ...expanded];
  run.acts.push(...acts);
  for (const { nodeId } of expanded) view.tried.add(nodeId);
  view.overlays = view.overlays.filter(({ number }) => seen.links.some((link) => link.number === number));
  view.links = seen.links;
  view.context = seen.context;
  view.nextNumber = repaired.nextNumber;
  return acts;
}

interface Verification {
  readonly space: string;
  readonly taskId: string;
  readonly step: number;
  readonly round: number;
  readonly query: readonly Text[];
  readonly keep: number;
  readonly act: 'activates' | 'expands';
}

/** What a step sees, with the short list that a verify call may choose from. */
interface Sight {
  readonly links: readonly StepLink[];
  readonly context: KeptContext;
  readonly shortlist: readonly Candidate[];
}

/** Has a short list verified in one model call, where the mode asks for it; if that call fails for good, the fused order stands, marked. */
export async function verified(run: TaskRun, sight: Sight, ask: Verification): Promise<Sight> {
  const { shortlist, links } = sight;
  if (shortlist.length === 0) return sight;
  const { retrieval, budgets } = run.task;
  const others = outside(links, shortlist);
  const summary = `step ${ask.step} · round ${ask.round} · verify ${shortlist.length} candidates`;
  try {
    const {
      spent,
      links: chosen,
      context,
    } = await model().verify.executeWithOptions({ summary }, [{ ...ask, shortlist, others: shown(others), retrieval, budgets }]);
    spend(run, spent);
    return { links: applyVerified(links, chosen, shortlist), context, shortlist: [] };
  } catch (error) {
    if (wf.isCancellation(error)) throw error;
    return { ...sight, links: links.map((link) => (others.includes(link) ? link : { ...link, reason: 'unverified' })) };
  }
}
