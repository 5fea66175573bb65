import type { JsonObject } from './json.js';

/** The three kinds of node [FluxMem]. */
export const NODE_KINDS = ['semantic', 'episodic', 'procedural'] as const;
export type NodeKind = (typeof NODE_KINDS)[number];

/** What a semantic node is made of. */
export type SemanticForm = 'turn' | 'fact' | 'chunk' | 'summary';

/** How an episode ended. */
export type Outcome = 'succeeded' | 'failed' | 'cancelled';

/** Who said whether a task succeeded. */
export type FeedbackSource = 'agent' | 'model' | 'human' | 'activity' | 'none';

export type Lifecycle = 'candidate' | 'trial' | 'mature' | 'retired';

/**
 * Edges by type, each a list of node ids, kept on the node that is written later (design.md section 2): a new edge changes no
 * other point, and the way back is a filter on the field.
 */
export const EDGE_FIELDS = [
  'groundedIn', // Ground: on the episode, the semantic nodes in the context of the round that succeeded
  'cited', // the part of groundedIn that the agent named
  'inherited', // on the episode, the skills in the context of its last rounds
  'distilledFrom', // Distill: on the skill, the episodes it was drawn from
  'counterExamples', // on the skill, failed episodes it was held against
  'derivedFrom', // Source: on the fact or summary, what it was drawn from
  'supersedes', // Supersede: on the newer fact
  'relatesTo', // Relate: on the later of two connected facts
] as const;
export type EdgeField = (typeof EDGE_FIELDS)[number];
export type Edges = Partial<Readonly<Record<EdgeField, readonly string[]>>>;

/** Where a semantic node's text comes from. Offsets are UTF-16 code units into the source's text. */
export interface Source {
  /** The document's name as its owner knows it: a path or a URL. */
  readonly document?: string;
  readonly title?: string;
  /** Position of the chunk in its document, of the turn in its conversation, or of the turn that a fact was drawn from; from 0. */
  readonly position?: number;
  readonly start?: number;
  readonly end?: number;
  readonly conversation?: string;
  readonly turns?: readonly string[];
}

interface NodeBase {
  readonly id: string;
  readonly space: string;
  /** 1 for the first; each version is one point, id = uuid5(node id, version). */
  readonly version: number;
  /** What is shown and embedded. */
  readonly text: string;
  /** When this version was written, ISO 8601 in UTC with milliseconds. */
  readonly recordedAt: string;
  /** When it stopped being the newest; absent on the current version. */
  readonly retiredAt?: string;
  /** When what it says was true, where that is known. */
  readonly validFrom?: string;
  readonly validTo?: string;
  /** The caller's own, kept apart from our fields. */
  readonly metadata?: JsonObject;
  readonly edges: Edges;
}

export interface SemanticNode extends NodeBase {
  readonly kind: 'semantic';
  readonly form: SemanticForm;
  readonly source: Source;
  /** SHA-256 of the text as it came, by which an unchanged chunk is known again. */
  readonly hash?: string;
  readonly speaker?: string;
  readonly role?: string;
  readonly topic?: string;
  /** `fresh`: extracted, and not yet held against older facts by sleep. */
  readonly status?: 'fresh';
  /** True on a fact whose turn could not be told: its sources are all turns that the model was shown with it. */
  readonly unplaced?: boolean;
  /** True on a fact that sleep made of several: what it was made of (`derivedFrom`) stays current and is ranked before it. */
  readonly abstract?: boolean;
  /** The latest event time at which it was said again, where later facts were merged into it: what came before that does not replace it. */
  readonly restatedAt?: string;
}

/** One act of a task: what the agent saw, what it did. */
export interface Act {
  readonly observation: string;
  readonly action: string;
}

/** How a task can be done again, where its agent says that it can (docs/agent.md). */
export interface EpisodeReplay {
  readonly agent: {
    readonly taskQueue: string;
    readonly activity: string;
    readonly timeoutMs?: number;
    readonly heartbeatMs?: number;
  };
  readonly judge:
    { readonly by: 'agent' | 'model' } | { readonly by: 'activity'; readonly taskQueue: string; readonly activity: string };
  /** Steps that the task might take. */
  readonly steps: number;
}

export interface EpisodicNode extends NodeBase {
  readonly kind: 'episodic';
  readonly taskId: string;
  readonly instruction: string;
  readonly trajectory: readonly Act[];
  readonly outcome: Outcome;
  readonly feedback: string;
  readonly feedbackSource: FeedbackSource;
  /** Repairs in all steps together; 0 where each step succeeded at once. */
  readonly repairs: number;
  readonly steps: number;
  /** Every step link ever made, kept, or taken away, with its reason and round. */
  readonly stepLinks: readonly StepLink[];
  /** Absent where the task can't be done again without doing harm, or by nobody but a person's word. */
  readonly replay?: EpisodeReplay;
  /** Absent until a sleep has seen it; `pooled` while it waits for others of its kind, `consolidated` once a skill has it. */
  readonly consolidation?: 'pooled' | 'consolidated';
}

export interface ProceduralNode extends NodeBase {
  readonly kind: 'procedural';
  readonly lifecycle: Lifecycle;
  /** PEMS of this version; absent until measured. */
  readonly maturity?: number;
  /** Whether the score was measured by replay or estimated from recorded outcomes. */
  readonly estimated?: boolean;
}

export type GraphNode = SemanticNode | EpisodicNode | ProceduralNode;

/** What was done to a link between a step's anchor and a node [FluxMem: activates, expands, prunes, reshapes]. */
export type LinkAct = 'activates' | 'expands' | 'prunes' | 'reshapes';

/**
 * A link of a step's anchor to a node: what the step can see, and why. It lives in workflow state and in the episode's
 * record, so it holds ids, numbers and codes, never text.
 */
export interface StepLink {
  /** The small number under which the node is shown to a model in this step; never reused within the step. */
  readonly number: number;
  readonly step: number;
  /** The round in which this act happened. */
  readonly round: number;
  readonly act: LinkAct;
  readonly nodeId: string;
  readonly version: number;
  readonly kind: NodeKind;
  /** Fused score at the time of the act; the similarity to the task for a pruned link. 0 to 1. */
  readonly score: number;
  readonly reason: LinkReason;
  /** The record that holds the rewritten text, where this step sees the node reshaped. */
  readonly overlay?: string;
}

/** Why a link was made or taken away: a code, so that histories and summaries hold no memory text. */
export type LinkReason =
  | 'ranked' // among the best of the fused ranking
  | 'verified' // among the best after the verify call
  | 'unverified' // the verify call failed; the fused order stands
  | 'nearest_episode'
  | 'distilled' // a skill that an activated episode's Distill edge leads to
  | 'direct' // a skill found by its own text
  | 'mature' // a mature skill that fits, fetched ahead, or a fact that goes with it
  | 'replayed' // the skill that an earlier task is tried under again
  | 'feedback' // found by the feedback's text
  | 'off_topic' // named as noise by the attribution
  | 'below_floor' // similarity to the task under the floor (0.3)
  | 'bypass' // the step runs without memory
  | 'finer'
  | 'coarser';
