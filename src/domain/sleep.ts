import { number, optional, settings as withDefaults, record, whole, invalid, onlyKeys } from './fields.js';
import type { Totals } from './refinement.js';
import { checkSpace } from './space.js';
import type { VerdictCounts } from './update-queue.js';

/** What a sleep does, in this order; each may be left out. */
export const SLEEP_PHASES = ['parked', 'reconcile', 'consolidate', 'ripen'] as const;
export type SleepPhase = (typeof SLEEP_PHASES)[number];

/** How facts are reconciled (design.md 3.3, phases 1 and 2). */
export interface ReconcileSettings {
  /** Update lanes that run at once, 1 to 8 [LightMem: parallel update]. The end state does not depend on it. Default 8. */
  readonly lanes: number;
  /** Fresh facts that one plan takes, oldest first; what is left is planned next. Default 2,000. */
  readonly planFacts: number;
  /** Whether recall before and after is compared, and a phase that lowered it undone. Default true. */
  readonly gate: boolean;
  /** Facts that the gate asks for, at most. Default 200. */
  readonly gateSample: number;
}

/** How experience is consolidated into skills (design.md 3.3, phases 3 and 4). */
export interface RipenSettings {
  /** Clusters that waiting episodes are cut into; floor(sqrt(n/2)), at least 1, where absent. */
  readonly numClusters?: number;
  /** Rounds of replay and rewriting for a skill, at most [FluxMem: 5]. */
  readonly maxConsolidationRounds: number;
  /** Relative change of PEMS from one round to the next under which a skill has settled. Default 0.01. */
  readonly pemsThreshold: number;
  /** Whether PEMS is divided by the number of current skills [FluxMem prints it without]. Default true. */
  readonly countSkills: boolean;
  /** Whether a rewritten skill waits for the `approve` update before it counts. Default false. */
  readonly approve: boolean;
}

export interface SleepSettings {
  readonly phases: readonly SleepPhase[];
  /** Judges, but changes nothing: the plan and the differences are kept with the run. Default false. */
  readonly dryRun: boolean;
  /** Tokens that model calls may cost before no new queue or skill is begun; no limit where absent. */
  readonly maxTokens?: number;
  /** Seconds after which no new queue or skill is begun; no limit where absent. */
  readonly maxSeconds?: number;
  readonly reconcile: ReconcileSettings;
  readonly ripen: RipenSettings;
}

export const DEFAULT_RECONCILE: ReconcileSettings = { lanes: 8, planFacts: 2_000, gate: true, gateSample: 200 };

export const DEFAULT_RIPEN: RipenSettings = {
  maxConsolidationRounds: 5,
  pemsThreshold: 0.01,
  countSkills: true,
  approve: false,
};

export const DEFAULT_SLEEP: SleepSettings = {
  phases: SLEEP_PHASES,
  dryRun: false,
  reconcile: DEFAULT_RECONCILE,
  ripen: DEFAULT_RIPEN,
};

/** What a caller may say of a sleep; what is left out is the default. */
export interface SleepRequest {
  readonly phases?: readonly SleepPhase[];
  readonly dryRun?: boolean;
  readonly maxTokens?: number;
  readonly maxSeconds?: number;
  readonly reconcile?: Partial<ReconcileSettings>;
  readonly ripen?: Partial<RipenSettings>;
}

/** Recall of facts by the text of the turns they were drawn from. */
export interface SelfRecall {
  readonly sampled: number;
  /** Share of them found among the best ten, 0 to 1; 1 where nothing was sampled. */
  readonly recall10: number;
}

/** What a reconciliation came to. */
export interface ReconcileReport {
  readonly fresh: number;
  readonly queues: number;
  readonly targets: number;
  /** Links that were cut off since a queue grew too large; they come back in the next sleep. */
  readonly cut: number;
  /** Exact and near-exact duplicates that were merged without a model. */
  readonly mergedWithoutModel: number;
  readonly verdicts: VerdictCounts;
  /** Numbers that the model named and was never shown, or named twice. */
  readonly refused: readonly string[];
  readonly revised: number;
  readonly retired: number;
  readonly inserted: number;
  /** Queues left as they were: somebody changed a fact of theirs meanwhile, or the model gave no usable answer; tried again by the next sleep. */
  readonly left: readonly { readonly queue: number; readonly kind: string }[];
  readonly before?: SelfRecall;
  readonly after?: SelfRecall;
  /** Whether the phase was undone since recall fell. */
  readonly undone: boolean;
  /** The models that gave verdicts, by the names they give themselves. */
  readonly models: readonly string[];
  readonly spent: Totals;
}

/** What trying parked batches again came to. */
export interface ParkedReport {
  readonly batches: number;
  readonly facts: number;
  /** Batches that failed again and wait on. */
  readonly still: number;
  readonly spent: Totals;
}

/** Why a sleep ended: all was done, a budget was used up, it was told to stop, or the model would have refused all the rest too. */
export type SleepEnd = 'done' | 'tokens' | 'time' | 'stopped' | 'halted';

/** Fails with `validation`, naming the field, or `bad_space`. */
export function checkSleep(space: unknown, request: unknown = {}): SleepSettings {
  checkSpace(space);
  const given = record(request, 'sleep');
  onlyKeys(given, 'sleep', ['phases', 'dryRun', 'maxTokens', 'maxSeconds', 'reconcile', 'ripen']);
  const maxTokens = optional(given['maxTokens'], (value) => whole(value, 'maxTokens', 1, 1_000_000_000));
  const maxSeconds = optional(given['maxSeconds'], (value) => whole(value, 'maxSeconds', 1, 604_800));
  return {
    phases: phasesOf(given['phases']),
    dryRun: flag(given['dryRun'], 'dryRun', DEFAULT_SLEEP.dryRun),
    ...(maxTokens !== undefined && { maxTokens }),
    ...(maxSeconds !== undefined && { maxSeconds }),
    reconcile: reconcileOf(given['reconcile']),
    ripen: ripenOf(given['ripen']),
  };
}

function phasesOf(given: unknown): readonly SleepPhase[] {
  if (given === undefined) return SLEEP_PHASES;
  const unknown = Array.isArray(given)
    ? (given as unknown[]).find((phase) => !SLEEP_PHASES.includes(phase as SleepPhase))
    : given;
  if (!Array.isArray(given) || unknown !== undefined || given.length === 0)
    throw invalid(`phases has ${JSON.stringify(unknown ?? given)}; it must be a list of ${SLEEP_PHASES.join(', ')}`);
  return SLEEP_PHASES.filter((phase) => (given as unknown[]).includes(phase));
}

function reconcileOf(given: unknown): ReconcileSettings {
  const { lanes, planFacts, gate, gateSample } = withDefaults(DEFAULT_RECONCILE, given, 'reconcile');
  return {
    lanes: whole(lanes, 'reconcile.lanes', 1, 8),
    planFacts: whole(planFacts, 'reconcile.planFacts', 1, 10_000),
    gate: flag(gate, 'reconcile.gate', true),
    gateSample: whole(gateSample, 'reconcile.gateSample', 1, 2_000),
  };
}

function ripenOf(given: unknown): RipenSettings {
  const { numClusters: asked, ...others } = given === undefined ? {} : record(given, 'ripen');
  const { maxConsolidationRounds, pemsThreshold, countSkills, approve } = withDefaults(DEFAULT_RIPEN, others, 'ripen');
  const numClusters = optional(asked, (value) => whole(value, 'ripen.numClusters', 1, 1_000));
  return {
    ...(numClusters !== undefined && { numClusters }),
    maxConsolidationRounds: whole(maxConsolidationRounds, 'ripen.maxConsolidationRounds', 0, 20),
    pemsThreshold: number(pemsThreshold, 'ripen.pemsThreshold', 0, 1),
    countSkills: flag(countSkills, 'ripen.countSkills', true),
    approve: flag(approve, 'ripen.approve', false),
  };
}

function flag(value: unknown, name: string, otherwise: boolean): boolean {
  if (value === undefined) return otherwise;
  if (typeof value !== 'boolean') throw invalid(`${name} is ${JSON.stringify(value)}; it must be true or false`);
  return value;
}
