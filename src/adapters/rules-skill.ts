import { INDUCTION_VARIANTS, induceProcedure, type Experience } from '../domain/induction.js';
import { parseProcedure, writeProcedure } from '../domain/procedure.js';
import type { ExperienceShown, SkillInput, SkillReply, SkillRewriteInput } from '../prompts/inputs-skill.js';

/** Characters of an action that a step repeats; a longer one is an answer and no act. */
const LONGEST_ACTION = 300;

/** A skill by rules: the common pattern of the successes (see `induceProcedure`); what the known skill is for stays named. */
export function induceSkill({ successes, failures, known }: SkillInput): SkillReply {
  return { text: written(successes, failures, known ?? '', 0) };
}

/**
 * A skill by rules, anew: the successes merged again, held against what failed; stricter and laxer in turn until the text is none
 * that was tried. Where every way was tried the skill stays as it is.
 */
export function rewriteSkill({ successes, failures, known, tried }: SkillRewriteInput): SkillReply {
  if (successes.length === 0) return { text: known };
  const texts = INDUCTION_VARIANTS.map((_, variant) => written(successes, failures, known, variant));
  return { text: texts.find((text) => text !== known && !tried.includes(text)) ?? known };
}

function written(
  successes: readonly ExperienceShown[],
  failures: readonly ExperienceShown[],
  known: string,
  variant: number,
): string {
  const procedure = induceProcedure(successes.map(experience), failures.map(experience), INDUCTION_VARIANTS[variant]);
  const tasks = [...new Set([...parseProcedure(known).tasks, ...procedure.tasks])].slice(0, 3);
  return writeProcedure({ ...procedure, tasks });
}

const experience = ({ instruction, trajectory }: ExperienceShown): Experience => ({
  instruction: instruction.slice(0, LONGEST_ACTION),
  trajectory: trajectory.map(({ observation, action }) => ({
    observation,
    action: action.replace(/\s+/gu, ' ').trim().slice(0, LONGEST_ACTION),
  })),
});
