import type { SkillsReport } from '../src/domain/skills.js';
import { addSpent } from '../src/domain/refinement.js';
import { isOver, showSleep, spend, whilePaused, type SleepRun } from './sleep-run.js';
import { consolidate, NO_SKILLS, ripen, type SkillBudget } from './sleep-skills.js';

/** Phase `consolidate` of a sleep: new episodes into skills. Always ends. */
export async function consolidatePhase(run: SleepRun): Promise<boolean> {
  const report = await consolidate(run, run.settings, budgetOf(run));
  tell(run, report, report.spent);
  return true;
}

/** Phase `ripen` of a sleep: skills that are new, or fail, tried on their episodes. A dry run has no use for it. */
export async function ripenPhase(run: SleepRun): Promise<boolean> {
  if (run.settings.dryRun) return true;
  const ripened = await ripen(run, run.settings, budgetOf(run));
  const spent = ripened.reduce((sum, one) => addSpent(sum, one.spent), NO_SKILLS.spent);
  const before = run.skills ?? NO_SKILLS;
  tell(run, { ...before, ripened, spent: addSpent(before.spent, spent) }, spent);
  return true;
}

function tell(run: SleepRun, report: SkillsReport, spent: SkillsReport['spent']): void {
  run.skills = report;
  spend(run, spent);
  showSleep(run);
}

const budgetOf = (run: SleepRun): SkillBudget => ({
  spent: () => run.spent,
  over: () => isOver(run),
  ready: () => whilePaused(run),
});
