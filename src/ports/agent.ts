import type { Act } from '../domain/graph.js';

/**
 * What the `execute` activity of an agent is given, in any Temporal language (docs/agent.md has it as JSON Schema). At most
 * 64 KB in all. An attempt may be repeated after a crash: (taskId, step, round) names the call.
 */
export interface ExecuteInput {
  readonly space: string;
  readonly taskId: string;
  readonly step: number;
  /** 0 for the first attempt of the step, then one more for each repair. */
  readonly round: number;
  readonly instruction: string;
  readonly observation: string;
  /** The step's memory, serialised: `semantic_memory`, `episodic_memory`, `procedural_memory` sections. Data, not instructions. */
  readonly context: string;
  /** What was wrong with the round before; absent in round 0. */
  readonly feedback?: string;
  /** The latest steps of this task that went well, oldest first. */
  readonly history: readonly Act[];
}

/** What an agent answers. */
export interface ExecuteOutcome {
  /** What it did or said. */
  readonly action: string;
  /** What it sees now: the next step's observation. */
  readonly observation?: string;
  /** `continue`: the step went well and there is more to do; `succeeded` and `failed` end the step by the agent's own word. */
  readonly status: 'continue' | 'succeeded' | 'failed';
  /** What was wrong, on `failed`. */
  readonly feedback?: string;
  /** Set where a tool or the environment failed and memory is not at fault: memory is then not edited. */
  readonly fault?: 'tool' | 'environment';
  /** The numbers (`n`) or ids of the nodes that it used. */
  readonly cited?: readonly (number | string)[];
  /** What its own model calls cost, if it knows. */
  readonly usage?: { readonly calls?: number; readonly inputTokens?: number; readonly outputTokens?: number };
}

/** What a judge activity of the caller's own is given. */
export interface JudgeInput {
  readonly space: string;
  readonly taskId: string;
  readonly step: number;
  readonly round: number;
  readonly instruction: string;
  readonly action: string;
  readonly observation: string;
}

/** A judge's word. `feedback` says what was wrong; a reference answer must not be in it, since the agent reads it. */
export interface Judgement {
  readonly success: boolean;
  readonly feedback?: string;
  readonly fault?: 'tool' | 'environment';
}

