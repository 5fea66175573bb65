import type { Text } from '../src/domain/claim.js';
import type { EpisodeReplay, Lifecycle, Outcome } from '../src/domain/graph.js';
import type { Spent } from '../src/domain/refinement.js';
import type { RipenEnd, RipenRound } from '../src/domain/skills.js';
import type { SleepKey } from './contract-sleep.js';

export interface PlanSkillsInput extends SleepKey {
  readonly numClusters?: number;
  /** True leaves no trace. */
  readonly dryRun: boolean;
}

/** One skill to be drawn from a cluster. Which episodes these are is in the kept plan. */
export interface PlannedSkill {
  readonly skillId: string;
  /** Whether the skill is there and the episodes join its cluster. */
  readonly joins: boolean;
  /** True where its text stays: it is mature, and what joins it went well. No model is asked then. */
  readonly keeps?: boolean;
  /** New members of the cluster. */
  readonly successes: number;
  readonly failures: number;
}

/** What there is to consolidate. The plan is kept under the run, so that any attempt gives the same. */
export interface PlannedSkills {
  readonly episodes: number;
  readonly joined: number;
  readonly clusters: number;
  readonly waiting: number;
  readonly skills: readonly PlannedSkill[];
}

export interface SkillKey extends SleepKey {
  readonly skillId: string;
}

/** A skill's text as it was induced, or rewritten. */
export interface Drawn {
  readonly text: Text;
  readonly spent: Spent;
}

export interface Published {
  /** The skill that was written: another one than planned where the text repeats it. */
  readonly skillId: string;
  readonly version: number;
  readonly isNew: boolean;
}

/** A skill that a sleep may ripen. */
export interface RipenableSkill {
  readonly skillId: string;
  readonly version: number;
}

/** An episode that a skill is measured by. */
export interface SkillSource {
  readonly episodeId: string;
  readonly taskId: string;
  readonly instruction: Text;
  readonly observation: Text;
  readonly outcome: Outcome;
  readonly replay?: EpisodeReplay;
}

/** A skill opened for ripening. */
export interface OpenedSkill {
  readonly version: number;
  readonly text: Text;
  /** The version before, which drift is measured to; absent on the first. */
  readonly before?: Text;
  /** The episodes, the latest where there are many; all can be replayed or none is. */
  readonly sources: readonly SkillSource[];
  readonly estimated: boolean;
}

export interface ScoreInput {
  readonly space: string;
  readonly text: Text;
  readonly before?: Text;
  readonly eta: number;
  readonly skills: number;
  readonly countSkills: boolean;
}

export interface Scored {
  readonly pems: number;
  readonly tokens: number;
  readonly drift: number;
}

/** What a task that failed under the skill did. */
export interface FailingTrace {
  readonly instruction: Text;
  readonly trajectory: readonly { readonly observation: Text; readonly action: Text }[];
  readonly feedback: Text;
}

export interface RewriteInput extends SkillKey {
  readonly round: number;
  readonly text: Text;
  readonly failing: readonly FailingTrace[];
  /** Texts of the rounds before: not to be written again. */
  readonly tried: readonly Text[];
}

export interface FinishInput extends SkillKey {
  /** The version that was opened. */
  readonly version: number;
  readonly rounds: readonly RipenRound[];
  readonly stopped: RipenEnd;
  /** The round whose text stays; absent where nothing was measured. */
  readonly best?: RipenRound;
}

export interface Finished {
  readonly lifecycle: Lifecycle;
  readonly version: number;
}

/** What turns episodes into skills, and ripens these. Each may be repeated at any point and does nothing twice. */
export interface SkillActivities {
  /** Clusters the episodes that are new or wait; keeps the plan. No model call, and no trace at all where none is new. Queue `…-text`. */
  planSkills(input: PlanSkillsInput): Promise<PlannedSkills>;
  /** ONE model call (and one repair request at most): a skill from a cluster's successes, its failures as counter-examples. Queue `…-model`. */
  induceSkill(input: SkillKey): Promise<Drawn>;
  /** Writes the skill, with the text that it has where none is given: anew, as the next version of the one it joins, or of the one that it repeats. Marks its episodes. Queue `…-text`. */
  publishSkill(input: SkillKey & { readonly text?: Text }): Promise<Published>;
  /** Marks the plan's other episodes as waiting. Queue `…-store`. */
  poolEpisodes(input: SleepKey): Promise<{ readonly waiting: number }>;
  /** Current skills that say something else, or have more against them, than when they were ripened, or whose breaker is open, and how many current ones there are. Queue `…-store`. */
  listRipenable(input: SleepKey): Promise<{ readonly skills: readonly RipenableSkill[]; readonly current: number }>;
  /** Reads what ripening needs of a skill; undefined, as null, where it is gone. Queue `…-store`. */
  openSkill(input: SkillKey): Promise<OpenedSkill | null>;
  /** PEMS of a text, with what it is made of. Queue `…-text`. */
  scoreSkill(input: ScoreInput): Promise<Scored>;
  /** ONE model call (and one repair request at most): the skill rewritten from what failed under it. Queue `…-model`. */
  rewriteSkill(input: RewriteInput): Promise<Drawn & { readonly same: boolean }>;
  /** Writes the best text, where it is a rewrite, as the next version; its score and lifecycle; the rounds. Queue `…-text`. */
  finishSkill(input: FinishInput): Promise<Finished>;
}
