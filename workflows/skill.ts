import { defineSearchAttributeKey } from '@temporalio/common';
import * as wf from '@temporalio/workflow';

import type { FailingTrace, OpenedSkill, SkillKey, SkillSource } from '../activities/contract-skills.js';
import { isSettled } from '../src/domain/pems.js';
import { addSpent, NOTHING_SPENT, type Totals } from '../src/domain/refinement.js';
import { bestOf, ripeningTable, type RipenEnd, type RipenRound, type SkillRipened } from '../src/domain/skills.js';
import type { RipenSettings } from '../src/domain/sleep.js';
import { keyOf } from '../src/domain/space.js';
import { kindOf, spentOf } from './failures.js';
import { approveUpdate, ripeningQuery, waitsSignal, type Approval } from './messages-skill.js';
import { model, store, text } from './proxies.js';
import { replaySources } from './skill-replays.js';

/** Input of `skillWorkflow`. */
export interface SkillInput extends SkillKey {
  readonly settings: RipenSettings;
  /** Current skills of the space when the sleep began to ripen: PEMS of one sleep is counted with one number. */
  readonly skills: number;
  /** Tokens left to spend; no limit where absent. */
  readonly maxTokens?: number;
}

/** How long a rewrite waits for a person, two weeks; unanswered, it is refused. */
const APPROVAL_WAIT_MS = 14 * 86_400_000;

interface Ripening {
  readonly input: SkillInput;
  readonly opened: OpenedSkill;
  status: 'running' | 'awaiting_approval' | RipenEnd;
  readonly rounds: RipenRound[];
  spent: Totals;
  approval: Approval | undefined;
}

const SPACE = defineSearchAttributeKey('EngraphSpace', 'KEYWORD');

/**
 * Ripens one skill [FluxMem: offline refinement]: replays the episodes that it was drawn from, scores it, rewrites it from what
 * failed, until the score settles or the last round (design.md 3.3). Id `skill/{space}/{skillId}`; a child of a sleep.
 */
export async function skillWorkflow(input: SkillInput): Promise<SkillRipened> {
  const { space, runId, skillId } = input;
  wf.upsertSearchAttributes([{ key: SPACE, value: keyOf(space) }]);
  const opened = await store().openSkill.executeWithOptions({ summary: 'read the skill and its episodes' }, [
    { space, runId, skillId },
  ]);
  if (opened === null) throw wf.ApplicationFailure.nonRetryable(`there is no current skill ${skillId}`, 'not_found');
  const ripening: Ripening = { input, opened, status: 'running', rounds: [], spent: NOTHING_SPENT, approval: undefined };
  listen(ripening);
  let stopped = await ripen(ripening);
  let best = bestOf(ripening.rounds);
  if (best?.rewritten === true && input.settings.approve && !(await approved(ripening))) {
    stopped = 'refused';
    best = bestOf(ripening.rounds.filter(({ rewritten }) => !rewritten));
  }
  ripening.status = stopped;
  show(ripening);
  const finished = await text().finishSkill.executeWithOptions(
    { summary: `keep the best of ${ripening.rounds.length} rounds: ${stopped}` },
    [{ space, runId, skillId, version: opened.version, rounds: ripening.rounds, stopped, ...(best && { best }) }],
  );
  await wf.condition(wf.allHandlersFinished);
  return { skillId, ...finished, stopped, rounds: ripening.rounds, spent: ripening.spent };
}

/** Round after round, and why it stopped. */
async function ripen(ripening: Ripening): Promise<RipenEnd> {
  const { settings, maxTokens } = ripening.input;
  let candidate = { text: ripening.opened.text, rewritten: false };
  for (let round = 1; round <= settings.maxConsolidationRounds; round++) {
    const failing = await measure(ripening, round, candidate);
    const last = ripening.rounds.at(-1);
    if (last === undefined || last.verdict === 'refused') return 'refused';
    const before = ripening.rounds.at(-2);
    if (before !== undefined && isSettled(before.pems, last.pems, last.eta, settings.pemsThreshold)) return 'settled';
    if (round === settings.maxConsolidationRounds) break;
    const spent = ripening.spent.inputTokens + ripening.spent.outputTokens;
    if (maxTokens !== undefined && spent >= maxTokens) return 'budget';
    if (failing.length === 0) continue; // nothing to learn from: measured once more, to see whether the score holds
    const rewritten = await rewrite(ripening, round, candidate.text, failing);
    if (rewritten === 'refused') return 'refused';
    if (rewritten.same && last.eta === 0) return 'exhausted';
    if (!rewritten.same) candidate = { text: rewritten.text, rewritten: true };
  }
  return 'exhausted';
}

/** Measures a text by its episodes; the rounds tell how it did, the answer what failed under it. */
async function measure(
  ripening: Ripening,
  round: number,
  candidate: Pick<RipenRound, 'text' | 'rewritten'>,
): Promise<readonly FailingTrace[]> {
  const { input, opened } = ripening;
  const { space, settings, skills } = input;
  const { sources, estimated, version } = opened;
  const { succeeded, failing } = estimated ? recorded(sources) : await replaySources(input, opened, round, candidate.text);
  const eta = sources.length === 0 ? 0 : succeeded / sources.length;
  const before = candidate.rewritten ? opened.text : opened.before;
  const { countSkills } = settings;
  const scored = await text().scoreSkill.executeWithOptions(
    { summary: `round ${round} · score: ${succeeded} of ${sources.length} went well` },
    [{ space, text: candidate.text, ...(before && { before }), eta, skills, countSkills }],
  );
  const best = bestOf(ripening.rounds);
  const lowers = candidate.rewritten && best !== undefined && eta < best.eta;
  const betters = best !== undefined && (eta > best.eta || (eta === best.eta && scored.pems > best.pems));
  const verdict = best === undefined ? 'measured' : lowers ? 'refused' : betters ? 'better' : 'not_better';
  ripening.rounds.push({ round, version, ...candidate, eta, ...scored, sources: sources.length, succeeded, estimated, verdict });
  show(ripening);
  return failing;
}

/** Where the agent can't replay: what is on record stands in. No trace fails under the skill, so there is nothing to rewrite from. */
const recorded = (sources: readonly SkillSource[]) => ({
  succeeded: sources.filter(({ outcome }) => outcome === 'succeeded').length,
  failing: [] as readonly FailingTrace[],
});

async function rewrite(ripening: Ripening, round: number, of: RipenRound['text'], failing: readonly FailingTrace[]) {
  const { space, runId, skillId } = ripening.input;
  const tried = ripening.rounds.map(({ text: one }) => one);
  try {
    const summary = `round ${round} · rewrite from ${failing.length} that failed`;
    const drawn = await model().rewriteSkill.executeWithOptions({ summary }, [
      { space, runId, skillId, round, text: of, failing, tried },
    ]);
    ripening.spent = addSpent(ripening.spent, drawn.spent);
    return drawn;
  } catch (error) {
    if (wf.isCancellation(error) || !String(kindOf(error)).startsWith('llm_')) throw error;
    ripening.spent = addSpent(ripening.spent, spentOf(error));
    return 'refused';
  }
}

/** Waits for a person's word on the rewrite, for days; the sleep goes on without it meanwhile. */
async function approved(ripening: Ripening): Promise<boolean> {
  ripening.status = 'awaiting_approval';
  show(ripening);
  const { parent } = wf.workflowInfo();
  if (parent)
    await wf.getExternalWorkflowHandle(parent.workflowId, parent.runId).signal(waitsSignal, { skillId: ripening.input.skillId });
  await wf.condition(() => ripening.approval !== undefined, APPROVAL_WAIT_MS, { summary: "wait for a person's approval" });
  ripening.status = 'running';
  return ripening.approval?.approved === true;
}

function listen(ripening: Ripening): void {
  wf.setHandler(ripeningQuery, () => ({ status: ripening.status, rounds: ripening.rounds }));
  wf.setHandler(approveUpdate, (approval) => void (ripening.approval = approval), {
    // Synchronous on purpose: a validator that returns a rejected promise stalls the workflow and refuses nothing.
    validator: (approval) => {
      const refuse = (why: string): never => {
        throw wf.ApplicationFailure.nonRetryable(why, 'validation');
      };
      if (typeof (approval as Partial<Approval> | null)?.approved !== 'boolean')
        refuse('an approval is { approved: true | false }');
      if (ripening.status !== 'awaiting_approval' || ripening.approval !== undefined)
        refuse(`no rewrite waits for approval: the skill is ${ripening.status.replaceAll('_', ' ')}`);
    },
  });
}

const show = ({ status, rounds }: Ripening): void => wf.setCurrentDetails(ripeningTable(status.replaceAll('_', ' '), rounds));
