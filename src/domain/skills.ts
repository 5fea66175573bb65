import type { Text } from './claim.js';
import type { Lifecycle } from './graph.js';
import type { Totals } from './refinement.js';

/** Why the ripening of a skill stopped. */
export type RipenEnd =
  /** Its score no longer changes. */
  | 'settled'
  /** The last round, or no other text to try. */
  | 'exhausted'
  /** A rewrite that lowered success, or that a person or the model refused. */
  | 'refused'
  /** Tokens or time of the sleep were used up. */
  | 'budget'
  /** A rewrite waits for a person's `approve`; the sleep does not wait with it. */
  | 'awaiting_approval';

/** One round of ripening: one text of a skill, measured. */
export interface RipenRound {
  /** From 1. */
  readonly round: number;
  /** The version that is written, or that this round's text was rewritten from. */
  readonly version: number;
  /** Whether this round's text is a rewrite. */
  readonly rewritten: boolean;
  /** The text, kept in the store. */
  readonly text: Text;
  readonly eta: number;
  readonly tokens: number;
  readonly drift: number;
  readonly pems: number;
  /** Episodes it was measured by, and how many of them went well. */
  readonly sources: number;
  readonly succeeded: number;
  /** True where recorded outcomes stood in for replays. */
  readonly estimated: boolean;
  readonly verdict: 'measured' | 'better' | 'not_better' | 'refused';
}

/** What ripening a skill came to. */
export interface SkillRipened {
  readonly skillId: string;
  readonly lifecycle: Lifecycle;
  readonly version: number;
  readonly stopped: RipenEnd;
  readonly rounds: readonly RipenRound[];
  readonly spent: Totals;
  /** Kind of the failure that kept it from being ripened (`ended` where somebody ended it); then it is as it was. */
  readonly failed?: string;
}

/** What a consolidation came to. */
export interface ConsolidationReport {
  /** New episodes that were taken. */
  readonly episodes: number;
  /** Of all that waited or were new: those that joined a skill's cluster. */
  readonly joined: number;
  /** Clusters that the others were cut into. */
  readonly clusters: number;
  /** Episodes that wait for others of their kind, or for a success. */
  readonly waiting: number;
  /** Skills that are new, and skills that got their next version. */
  readonly induced: readonly string[];
  readonly revised: readonly string[];
  /** Clusters whose induction failed for good, by the failure's kind; their episodes wait on. */
  readonly left: readonly { readonly skillId: string; readonly kind: string }[];
}

/** What the phases `consolidate` and `ripen` of a sleep came to. */
export interface SkillsReport extends ConsolidationReport {
  readonly ripened: readonly SkillRipened[];
  readonly spent: Totals;
}

export const NO_CONSOLIDATION: ConsolidationReport = {
  ...{ episodes: 0, joined: 0, clusters: 0, waiting: 0 },
  ...{ induced: [], revised: [], left: [] },
};

/** Share of its source episodes that must go well under a skill before it can be mature (design.md 3.3). */
export const MATURE_ETA = 0.8;

/** Tasks that used a skill's text, counted from their episodes. */
export interface SkillUses {
  readonly used: number;
  readonly succeeded: number;
}

/** Uses of a text after which it can be told that it fails. */
const BREAKER_USES = 5;
/** Share of uses that must have gone well, or the breaker opens. */
const BREAKER_SHARE = 0.2;
/** Texts of a skill whose breaker opened, one after the other, before it is retired. */
const BREAKER_TEXTS = 2;

/** Failures without which no breaker opens: five uses of which none went well. */
export const FEWEST_FAILED = BREAKER_USES;

/** Whether tasks go without the skill: of at least five uses of this text, less than one in five went well. */
export const isOpen = ({ used, succeeded }: SkillUses): boolean => used >= BREAKER_USES && succeeded < BREAKER_SHARE * used;

/** Where the skill stands after ripening. */
export function lifecycleOf(ripened: {
  readonly stopped: RipenEnd;
  readonly eta: number;
  readonly estimated: boolean;
  /** Whether tasks still fail with the text that stays: consolidation and ripening had their chance. */
  readonly isOpen: boolean;
  /** Its texts that failed, one after the other. */
  readonly opened: number;
}): Lifecycle {
  const { stopped, eta, estimated, isOpen: fails, opened } = ripened;
  if (fails || opened >= BREAKER_TEXTS) return 'retired';
  return stopped === 'settled' && !estimated && eta >= MATURE_ETA ? 'mature' : 'trial';
}

/** The rounds of a ripening as a Markdown table for the workflow's current details. No memory text. */
export function ripeningTable(status: string, rounds: readonly RipenRound[]): string {
  const rows = rounds.map(
    ({ round, rewritten, succeeded, sources, estimated, tokens, drift, pems, verdict }) =>
      `| ${round} | ${rewritten ? 'rewrite' : 'as it was'} | ${succeeded} of ${sources}${estimated ? ', on record' : ''} | ${tokens} | ${drift.toFixed(3)} | ${pems.toFixed(4)} | ${verdict.replaceAll('_', ' ')} |`,
  );
  return [
    `**${status}**`,
    '',
    '| round | text | went well | tokens | drift | PEMS | verdict |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n');
}

/** The best of the rounds: by eta, then by PEMS, the earlier one where they are equal. */
export function bestOf(rounds: readonly RipenRound[]): RipenRound | undefined {
  return rounds.reduce<RipenRound | undefined>(
    (best, round) =>
      best === undefined || round.eta > best.eta || (round.eta === best.eta && round.pems > best.pems) ? round : best,
    undefined,
  );
}
