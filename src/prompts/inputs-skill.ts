import type { Act } from '../domain/graph.js';

/** What happened in one task, as induction and rewriting are shown it. */
export interface ExperienceShown {
  readonly instruction: string;
  readonly trajectory: readonly Act[];
  /** What was said of its end; empty where nothing was. */
  readonly feedback: string;
}

/** `skill`: one reusable procedure out of tasks that went well, held against some that did not. */
export interface SkillInput {
  readonly successes: readonly ExperienceShown[];
  readonly failures: readonly ExperienceShown[];
  /** The skill that these tasks belong to, where there is one: its next version is asked for. */
  readonly known?: string;
}

/** `skill_rewrite`: a skill rewritten from what failed under it. */
export interface SkillRewriteInput extends SkillInput {
  readonly known: string;
  /** What was written in its place before and did no better: not to be written again. */
  readonly tried: readonly string[];
}

export interface SkillReply {
  readonly text: string;
}
