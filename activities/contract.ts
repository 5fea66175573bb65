import type { Text } from '../src/domain/claim.js';
import type { ContextBudgets } from '../src/domain/context.js';
import type { Attribution, Edit, EditKind } from '../src/domain/edit.js';
import type { EpisodeReplay, FeedbackSource, Outcome, StepLink } from '../src/domain/graph.js';
import type { Saved, Spent } from '../src/domain/refinement.js';
import type { Change, Overlay, ShownLink } from '../src/domain/subgraph.js';
import type { ReplayRequest, RetrievalSettings } from '../src/domain/task.js';
import type { ExecuteInput, ExecuteOutcome } from '../src/domain/agent.js';
import type { ConversationActivities } from './contract-conversation.js';
import type { KnowledgeActivities } from './contract-knowledge.js';
import type { SkillActivities } from './contract-skills.js';
import type { SleepActivities } from './contract-sleep.js';

/** Names one round of one step of one task; every write of an activity is made under ids derived from it. */
export interface RoundKey {
  readonly space: string;
  readonly taskId: string;
  readonly step: number;
  readonly round: number;
}

/** A context kept in the store. Whatever was linked is in it but what a section's budget left out whole. */
export interface KeptContext {
  readonly ref: string;
  readonly tokens: number;
  /** Numbers of the links that did not fit. */
  readonly dropped: readonly number[];
}

/** A node that a verify call may choose from. */
export interface Candidate {
  readonly number: number;
  readonly nodeId: string;
  readonly version: number;
  readonly dense: number;
  readonly bm25: number;
  readonly score: number;
}

/** What a step can see after its formation. */
export interface Formed {
  readonly links: readonly StepLink[];
  readonly context: KeptContext;
  /** What the verify call chooses from, where the mode asks for one. */
  readonly shortlist: readonly Candidate[];
  /** The first number not given to any node of this step yet. */
  readonly nextNumber: number;
  /** Set where a mature skill's subgraph took the place of formation: what that saved. */
  readonly saved?: Saved;
}

export interface RetrieveInput extends RoundKey {
  readonly instruction: Text;
  readonly observation: Text;
  readonly retrieval: RetrievalSettings;
  readonly budgets: ContextBudgets;
  /** The one memory of a replay, in place of all that formation would find. */
  readonly replay?: ReplayRequest;
  /** True where a mature skill's subgraph has failed in this step: then it is not used again. */
  readonly afresh?: boolean;
  /** The first number not given to any node of this step yet; 1 where absent. */
  readonly firstNumber?: number;
}

export interface VerifyInput extends RoundKey {
  /** What the candidates must bear on: the task in formation, the feedback in an expand. */
  readonly query: readonly Text[];
  readonly shortlist: readonly Candidate[];
  /** How many of the shortlist to keep. */
  readonly keep: number;
  readonly act: 'activates' | 'expands';
  /** The links beside the short list: they stay. */
  readonly others: readonly ShownLink[];
  readonly retrieval: RetrievalSettings;
  readonly budgets: ContextBudgets;
}

export interface AttributeInput extends RoundKey {
  readonly instruction: Text;
  readonly observation: Text;
  readonly action: Text;
  readonly feedback: Text;
  readonly links: readonly ShownLink[];
  readonly cited: readonly number[];
  readonly allowed: readonly EditKind[];
  /** Edits of earlier rounds of this step, by name. */
  readonly tried: readonly string[];
}

export interface ReshapeInput extends RoundKey {
  readonly instruction: Text;
  readonly feedback: Text;
  readonly link: ShownLink;
  readonly direction: 'finer' | 'coarser';
  /** 1 for the node's first reshape in this step, then one more each: how many neighbours `coarser` joins on either side. */
  readonly span: number;
}

export interface RepairInput extends RoundKey {
  readonly instruction: Text;
  readonly observation: Text;
  readonly feedback: Text;
  readonly links: readonly ShownLink[];
  /** Node ids that this step saw in some round and sees no more: an expand adds neither them nor what is linked. */
  readonly tried: readonly string[];
  readonly edits: readonly Edit[];
  readonly overlays: readonly Overlay[];
  readonly nextNumber: number;
  readonly retrieval: RetrievalSettings;
  readonly budgets: ContextBudgets;
}

/** What a repair changed, and the context that comes of it. */
export interface Repaired extends Change {
  readonly context: KeptContext;
  readonly shortlist: readonly Candidate[];
  readonly nextNumber: number;
}

/** What a verify call chose of its short list, and the context that comes of it. */
export interface Verified {
  readonly links: readonly StepLink[];
  readonly context: KeptContext;
  readonly spent: Spent;
}

export interface JudgeByModelInput extends RoundKey {
  readonly instruction: Text;
  readonly observation: Text;
  readonly action: Text;
}

/** A verdict by the language model; its feedback is kept text. */
export interface ModelVerdict {
  readonly success: boolean;
  readonly feedback: Text;
  readonly spent: Spent;
}

/** An overlay of a step that went well, to become a new version of its node. */
export interface Promotion {
  readonly nodeId: string;
  /** The version that was rewritten: the promotion is refused as stale where it isn't the newest any more. */
  readonly version: number;
  readonly ref: string;
  readonly direction: 'finer' | 'coarser';
}

export interface RecordInput {
  readonly space: string;
  readonly taskId: string;
  readonly instruction: Text;
  readonly trajectory: readonly { readonly observation: Text; readonly action: Text }[];
  readonly outcome: Outcome;
  readonly feedback: Text;
  readonly feedbackSource: FeedbackSource;
  readonly steps: number;
  readonly repairs: number;
  /** Semantic nodes in the contexts of the rounds that succeeded; empty unless the task did. */
  readonly grounded: readonly string[];
  readonly cited: readonly string[];
  readonly promotions: readonly Promotion[];
  readonly stepLinks: readonly StepLink[];
  /** Skills in the contexts of the rounds that succeeded and of the last one. */
  readonly inherited?: readonly string[];
  /** How the task can be done again, where its agent can. */
  readonly replay?: EpisodeReplay;
}

export interface Recorded {
  readonly episodeId: string;
  readonly promoted: readonly string[];
  /** Nodes changed by somebody else meanwhile: their overlays were not promoted. */
  readonly stale: readonly string[];
}

/** Activities that burn CPU: embedding and what needs it. Queue `…-text`. */
export interface TextActivities {
  /** Forms a step's subgraph [FluxMem: formation]: semantic candidates, nearest episodes, the skills they lead to and skills found directly. */
  retrieve(input: RetrieveInput): Promise<Formed>;
  /** Applies the edits to the step's subgraph. Changes no node. */
  repair(input: RepairInput): Promise<Repaired>;
  /** Commits the episode, its Ground edges and the promoted overlays, once however often it is called. */
  record(input: RecordInput): Promise<Recorded>;
}

/** What the built-in chat agent is given: an agent's input, and the MCP server it may use, by the name that workers know. */
export interface ChatInput extends ExecuteInput {
  readonly mcp?: string;
}

/** Activities that wait for the language model. Queue `…-model`. */
export interface ModelActivities {
  /** ONE model call over a short list; chooses the best by dense, BM25 and the model's score. */
  verify(input: VerifyInput): Promise<Verified>;
  /** ONE model call (and one repair request at most): where the fault of a failed round lies, and which edits. */
  attribute(input: AttributeInput): Promise<Attribution & { readonly spent: Spent }>;
  /** ONE model call that rewrites one node, always from the node's own text: reshapes don't nest. */
  reshape(input: ReshapeInput): Promise<{ readonly overlay: string; readonly spent: Spent }>;
  /** ONE model call: did the action do what the instruction asks. Never sees a reference answer. */
  judge(input: JudgeByModelInput): Promise<ModelVerdict>;
  /** The built-in chat agent: one model call, and one more for each tool it calls, at most five a round. */
  execute(input: ChatInput): Promise<ExecuteOutcome>;
}

/** Everything that a worker of ours registers. */
export type Activities = TextActivities &
  ModelActivities &
  KnowledgeActivities &
  ConversationActivities &
  SkillActivities &
  SleepActivities;
