import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import * as wf from '@temporalio/workflow';

import type { PlannedSkill, RipenableSkill } from '../activities/contract-skills.js';
import type { SleepKey } from '../activities/contract-sleep.js';
import type { Text } from '../src/domain/claim.js';
import { addSpent, NOTHING_SPENT, type Totals } from '../src/domain/refinement.js';
import { NO_CONSOLIDATION, type SkillRipened, type SkillsReport } from '../src/domain/skills.js';
import type { SleepSettings } from '../src/domain/sleep.js';
import { keyOf } from '../src/domain/space.js';
import { kindOf, spentOf } from './failures.js';
import { waitsSignal } from './messages-skill.js';
import { model, store, text } from './proxies.js';
import type { skillWorkflow } from './skill.js';

/** What a sleep has to spend. `over` tells when no new skill may be begun. */
export interface SkillBudget {
  spent(): Totals;
  over(): boolean;
  /** Waits while the sleep is paused. */
  ready?(): Promise<void>;
}

/** Skills that are induced, or ripened, at once. */
const AT_ONCE = 4;

/** A report of nothing done. */
export const NO_SKILLS: SkillsReport = { ...NO_CONSOLIDATION, ripened: [], spent: NOTHING_SPENT };

/** New episodes into skills. A dry run plans, and leaves no trace. */
export async function consolidate(key: SleepKey, settings: SleepSettings, budget: SkillBudget): Promise<SkillsReport> {
  const { space, runId } = key;
  const {
    dryRun,
    ripen: { numClusters },
  } = settings;
  const planned = await text().planSkills.executeWithOptions({ summary: 'cluster the new episodes' }, [
    { space, runId, dryRun, ...(numClusters !== undefined && { numClusters }) },
  ]);
  const { skills, ...counts } = planned;
  const report = { ...NO_SKILLS, ...counts };
  if (dryRun || planned.episodes === 0) return report;
  const induced: string[] = [];
  const revised: string[] = [];
  const left: { skillId: string; kind: string }[] = [];
  let spent = NOTHING_SPENT;
  for (let from = 0; from < skills.length; from += AT_ONCE) {
    await budget.ready?.();
    if (budget.over()) break;
    const drawn = await Promise.all(skills.slice(from, from + AT_ONCE).map((skill) => draw(key, skill)));
    for (const one of drawn) {
      spent = addSpent(spent, one.spent);
      // One by one: a text is held against those that were written before it.
      const written = 'kind' in one ? one : await write(key, one);
      if ('kind' in written) left.push({ skillId: written.skillId, kind: written.kind });
      else (written.isNew ? induced : revised).push(written.skillId);
    }
  }
  const { waiting } = await store().poolEpisodes.executeWithOptions({ summary: 'keep the others for the next sleep' }, [key]);
  return { ...report, waiting, induced, revised: [...new Set(revised)], left, spent };
}

interface Failed {
  readonly skillId: string;
  readonly kind: string;
}

async function draw(key: SleepKey, { skillId, joins, keeps, successes, failures }: PlannedSkill) {
  if (keeps === true) return { skillId, spent: NOTHING_SPENT };
  const summary = `${joins ? 'revise' : 'induce'} a skill: ${successes} more went well, ${failures} failed`;
  try {
    const drawn = await model().induceSkill.executeWithOptions({ summary }, [{ ...key, skillId }]);
    return { skillId, ...drawn };
  } catch (error) {
    return { ...failedFor(skillId, error), spent: addSpent(NOTHING_SPENT, spentOf(error)) };
  }
}

async function write(key: SleepKey, { skillId, text: words }: { skillId: string; text?: Text }) {
  try {
    return await text().publishSkill.executeWithOptions({ summary: 'write the skill' }, [
      { ...key, skillId, ...(words && { text: words }) },
    ]);
  } catch (error) {
    return failedFor(skillId, error);
  }
}

/** A part of ours that failed for good leaves this skill to the next sleep; anything else is not ours to swallow. */
function failedFor(skillId: string, error: unknown): Failed {
  const kind = kindOf(error);
  if (wf.isCancellation(error) || kind === undefined) throw error;
  return { skillId, kind };
}

/** Ripens what is new or fails, each skill in a child of its own, at most four at once. */
export async function ripen(key: SleepKey, settings: SleepSettings, budget: SkillBudget): Promise<readonly SkillRipened[]> {
  const waits = new Set<string>();
  wf.setHandler(waitsSignal, ({ skillId }) => void waits.add(skillId));
  const { skills, current } = await store().listRipenable.executeWithOptions({ summary: 'skills to ripen' }, [key]);
  const ripened: SkillRipened[] = [];
  let own = NOTHING_SPENT;
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let at = next++; at < skills.length; at = next++) {
      const skill = skills[at] as RipenableSkill;
      await budget.ready?.();
      const spent = addSpent(budget.spent(), own);
      const left = settings.maxTokens === undefined ? undefined : settings.maxTokens - spent.inputTokens - spent.outputTokens;
      const isOver = budget.over() || (left !== undefined && left <= 0);
      const one = isOver ? without(skill, 'budget') : await ripenOne(key, settings, skill, { current, left, waits });
      own = addSpent(own, one.spent);
      ripened[at] = one;
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, skills.length) }, lane));
  return ripened;
}

async function ripenOne(
  key: SleepKey,
  { ripen: settings }: SleepSettings,
  skill: RipenableSkill,
  { current, left, waits }: { current: number; left: number | undefined; waits: ReadonlySet<string> },
): Promise<SkillRipened> {
  const { skillId } = skill;
  try {
    const child = await wf.startChild<typeof skillWorkflow>('skillWorkflow', {
      workflowId: `skill/${keyOf(key.space)}/${skillId}`,
      args: [{ ...key, skillId, settings, skills: current, ...(left !== undefined && { maxTokens: left }) }],
      // One that waits for a person outlives the sleep.
      parentClosePolicy: settings.approve ? 'ABANDON' : 'TERMINATE',
      staticSummary: `skill ${skillId} in ${keyOf(key.space)}`,
    });
    const waiting = wf.condition(() => waits.has(skillId)).then(() => without(skill, 'awaiting_approval'));
    return await Promise.race([child.result(), waiting]);
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return without(skill, 'awaiting_approval');
    // Whoever ends one skill's workflow ends that skill's ripening, and not the sleep.
    if (wf.CancellationScope.current().consideredCancelled) throw error;
    return { ...without(skill, 'refused'), failed: kindOf(error) ?? 'ended' };
  }
}

const without = ({ skillId, version }: RipenableSkill, stopped: SkillRipened['stopped']): SkillRipened => ({
  ...{ skillId, version, stopped, lifecycle: 'candidate', rounds: [], spent: NOTHING_SPENT },
});
