import type { Text } from './claim.js';
import type { Attribution, Edit } from './edit.js';
import type { FeedbackSource, Outcome, StepLink } from './graph.js';

/** What model calls cost, and which model it was. `calls` counts requests begun, those of attempts that died included. */
export interface Spent {
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly model: string;
}

/** Sums of what was spent. */
export interface Totals {
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export const NOTHING_SPENT: Totals = { calls: 0, inputTokens: 0, outputTokens: 0 };

export const addSpent = (totals: Totals, spent: Partial<Totals>): Totals => ({
  calls: totals.calls + (spent.calls ?? 0),
  inputTokens: totals.inputTokens + (spent.inputTokens ?? 0),
  outputTokens: totals.outputTokens + (spent.outputTokens ?? 0),
});

export const addSaved = (saved: Saved | undefined, more: Saved): Saved => ({
  modelCalls: (saved?.modelCalls ?? 0) + more.modelCalls,
  searches: (saved?.searches ?? 0) + more.searches,
});

/** One round of one step as the `rounds` query tells it. Texts are kept in the store and named by reference. */
export interface RoundReport {
  readonly step: number;
  readonly round: number;
  /** What the step could see in this round. */
  readonly links: readonly StepLink[];
  readonly contextTokens: number;
  readonly action: Text;
  readonly outcome: 'continue' | 'succeeded' | 'failed';
  readonly feedback?: Text;
  readonly feedbackSource: FeedbackSource;
  /** Why it failed and what was decided, once attributed; absent on the last round and on success. */
  readonly attribution?: Attribution;
  /** What the edits did: links added, taken away, reshaped. */
  readonly acts: readonly StepLink[];
  /** Nodes that the agent cited without having been shown them. */
  readonly unknownCitations: readonly string[];
  /** Our own model calls for this round: verify, judge, attribute, reshape. */
  readonly spent: Totals;
  /** The agent's own, as far as it told. */
  readonly agentSpent: Totals;
}

/** Which nodes led to which step, for the `receipt` query. */
export interface StepReceipt {
  readonly step: number;
  /** The round that went well. */
  readonly round: number;
  readonly nodes: readonly (StepLink & { readonly cited: boolean })[];
}

/** Why a task ended as it did. */
export type EndReason =
  | 'succeeded'
  /** The last repair did not help either. */
  | 'rounds_exhausted'
  | 'steps_exhausted'
  | 'wall_time'
  | 'tokens'
  | 'history_full'
  | 'judge_timeout'
  | 'agent_failed'
  | 'cancelled'
  /** A part of Engraph failed for good; the workflow fails with that kind. */
  | 'broken';

/** What `taskWorkflow` returns. */
export interface TaskResult {
  readonly taskId: string;
  readonly outcome: Outcome;
  readonly reason: EndReason;
  /** The action of the last round, as the agent gave it. */
  readonly answer: string;
  readonly episodeId: string;
  readonly steps: number;
  /** Calls of `execute` that were scheduled, in all steps. */
  readonly executions: number;
  readonly repairs: number;
  readonly spent: Totals;
  readonly agentSpent: Totals;
  /** Every model that answered, ours and the agent's, by the name it gives itself. */
  readonly models: readonly string[];
  readonly promoted: readonly string[];
  readonly stale: readonly string[];
  /** What forming subgraphs did without, since a mature skill's was at hand; absent where none was. */
  readonly saved?: Saved;
  /** What a replay did, which no episode tells; absent on any other task. */
  readonly trace?: {
    readonly trajectory: readonly { readonly observation: Text; readonly action: Text }[];
    readonly feedback: Text;
  };
}

/** Calls that formation would have made. */
export interface Saved {
  readonly modelCalls: number;
  readonly searches: number;
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Edits in a few words for the Temporal UI: kinds and numbers only. */
export function describeEdits(edits: readonly Edit[]): string {
  if (edits.length === 0) return 'no edit';
  return edits
    .map((edit) => {
      switch (edit.edit) {
        case 'expand':
          return 'expand by the feedback';
        case 'prune':
          return `prune ${counted(edit.nodes.length, 'link')}: off topic`;
        case 'reshape':
          return `reshape node ${edit.node}: ${edit.direction}`;
        case 'bypass':
          return 'bypass memory';
      }
    })
    .join(', ');
}

/** What the acts of a repair came to, in a few words. */
export function describeActs(acts: readonly StepLink[]): string {
  const count = (act: StepLink['act']): number => acts.filter((link) => link.act === act).length;
  const parts = [
    [count('expands'), '+'],
    [count('prunes'), '−'],
    [count('reshapes'), '~'],
  ] as const;
  const told = parts.filter(([number]) => number > 0).map(([number, sign]) => `${sign}${number}`);
  return told.length === 0 ? '–' : told.join(' ');
}

/** The rounds so far as a Markdown table for the workflow's current details, and which models answered. No memory text. */
export function roundsTable(status: string, rounds: readonly RoundReport[], models: readonly string[]): string {
  const rows = rounds.map(({ step, round, outcome, links, contextTokens, attribution, acts, spent, agentSpent }) => {
    const fault =
      attribution === undefined ? '–' : attribution.attributed ? attribution.fault.replaceAll('_', ' ') : 'unattributed';
    const edits = attribution === undefined ? '–' : describeEdits(attribution.edits);
    const calls = spent.calls + agentSpent.calls;
    return `| ${step} | ${round} | ${outcome} | ${links.length} | ${contextTokens} | ${fault} | ${edits} | ${describeActs(acts)} | ${calls} |`;
  });
  return [
    `**${status}**`,
    '',
    '| step | round | outcome | links | context tokens | fault | edits | links changed | model calls |',
    '| --- | --- | --- | --- | --- | --- | --- | --- | --- |',
    ...rows,
    ...(models.length === 0 ? [] : ['', `Language model: ${models.join(', ')}`]),
  ].join('\n');
}
