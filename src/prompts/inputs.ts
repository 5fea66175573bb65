import type { ContextItem } from '../domain/context.js';
import type { EditKind, Fault } from '../domain/edit.js';
import type { Act, NodeKind } from '../domain/graph.js';

/** `answer`: the built-in chat agent's one question. */
export interface AnswerInput {
  readonly instruction: string;
  readonly observation: string;
  readonly feedback?: string;
  readonly history: readonly Act[];
  readonly memories: readonly ContextItem[];
  /** Where there are tools that the agent may call. */
  readonly tools?: ToolsShown;
}

/** What the chat agent is told of tools. Names, descriptions and results come from a server that is not ours: data. */
export interface ToolsShown {
  readonly offered: readonly {
    readonly name: string;
    readonly description: string;
    readonly inputSchema: Readonly<Record<string, unknown>>;
  }[];
  /** The calls of this round so far, oldest first. */
  readonly uses: readonly ToolUse[];
  /** Calls that this round may still make. */
  readonly left: number;
}

/** One call of a tool and what came of it. */
export interface ToolUse {
  readonly tool: string;
  /** As JSON text. */
  readonly arguments: string;
  /** `refused`: no such tool, or not with these arguments; nothing was done. */
  readonly outcome: 'answered' | 'refused';
  readonly text: string;
}

export interface AnswerReply {
  readonly answer: string;
  /** Numbers of the memories used. */
  readonly cited: readonly number[];
  /** False where the memories do not hold the answer. */
  readonly known: boolean;
}

/** The chat agent's wish to call a tool; `arguments` as the model wrote them, to be checked against the tool's schema. */
export interface ToolReply {
  readonly tool: string;
  readonly arguments: unknown;
}

/** `attribution`: where does the fault of a failed round lie, and which edits. */
export interface AttributionInput {
  readonly instruction: string;
  readonly observation: string;
  readonly action: string;
  readonly feedback: string;
  readonly round: number;
  /** What the step could see. */
  readonly links: readonly AttributionLink[];
  /** Edits the caller allows. */
  readonly allowed: readonly EditKind[];
  /** Edits of the rounds before, so that what did not help isn't tried again as it was. */
  readonly tried: readonly string[];
}
export interface AttributionLink {
  readonly n: number;
  readonly kind: NodeKind;
  readonly title: string;
  readonly text: string;
  /** Cosine of the node to the task. */
  readonly similarity: number;
  /** Whether this step already sees it rewritten. */
  readonly reshaped: boolean;
  readonly cited: boolean;
}
export interface AttributionReply {
  readonly reason: string;
  readonly fault: Fault;
  readonly edits: readonly (
    | { readonly edit: 'expand' | 'bypass' }
    | { readonly edit: 'prune'; readonly nodes: readonly number[] }
    | { readonly edit: 'reshape'; readonly node: number; readonly direction: 'finer' | 'coarser' }
  )[];
}

/** `relevance`: the verifier's one batched question about a short list. */
export interface RelevanceInput {
  readonly query: string;
  readonly candidates: readonly { readonly n: number; readonly title: string; readonly text: string }[];
}
export interface RelevanceReply {
  /** 0 (useless) to 1 (answers it). A candidate left out counts as 0. */
  readonly scores: readonly { readonly n: number; readonly score: number }[];
}

/** `reshape`: rewrite one memory finer or coarser. */
export interface ReshapeInput {
  readonly instruction: string;
  readonly feedback: string;
  readonly direction: 'finer' | 'coarser';
  readonly title: string;
  readonly text: string;
  /** The neighbouring chunks of the same document, for `coarser`; empty where there are none. */
  readonly before: string;
  readonly after: string;
}
export interface ReshapeReply {
  readonly text: string;
}

/** `judgement`: did the action do what the instruction asks. */
export interface JudgementInput {
  readonly instruction: string;
  readonly observation: string;
  readonly action: string;
}
export interface JudgementReply {
  readonly reason: string;
  readonly success: boolean;
  readonly feedback: string;
}
