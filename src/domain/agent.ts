import { EngraphError } from './failure.js';
import type { Act } from './graph.js';
import { byteLength, invalid, TEXT_MAX_BYTES } from './fields.js';

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
  /** Set where an earlier task, this one, is done again to try a skill on it: begin as it began, and have no effect outside. */
  readonly replayOf?: string;
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
  /** The model that answered, if it wants that told. */
  readonly model?: string;
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
  /** Set where an earlier task, this one, is done again to try a skill on it. */
  readonly replayOf?: string;
}

/** A judge's word. `feedback` says what was wrong; a reference answer must not be in it, since the agent reads it. */
export interface Judgement {
  readonly success: boolean;
  readonly feedback?: string;
  readonly fault?: 'tool' | 'environment';
}

const STATUSES: readonly unknown[] = ['continue', 'succeeded', 'failed'];
const FAULTS: readonly unknown[] = ['tool', 'environment'];

/** An agent's answer checked, since it comes from code that is not ours; fails with `validation` or `too_large`, naming the field. */
export function checkOutcome(answer: unknown): ExecuteOutcome {
  if (typeof answer !== 'object' || answer === null) throw invalid("the agent's answer is not an object");
  const { action, observation, status, feedback, fault, cited, model, usage } = answer as Record<string, unknown>;
  if (!STATUSES.includes(status))
    throw invalid(`the agent's status is ${JSON.stringify(status)}; it must be continue, succeeded or failed`);
  if (fault !== undefined && fault !== null && !FAULTS.includes(fault)) {
    throw invalid(`the agent's fault is ${JSON.stringify(fault)}; it must be tool or environment`);
  }
  const spent = typeof usage === 'object' && usage !== null ? (usage as Record<string, unknown>) : {};
  return {
    action: answered(action, 'action') ?? '',
    status: status as ExecuteOutcome['status'],
    ...optional('observation', answered(observation, 'observation')),
    ...optional('feedback', answered(feedback, 'feedback')),
    ...(FAULTS.includes(fault) && { fault: fault as 'tool' | 'environment' }),
    ...(Array.isArray(cited) && { cited: cited.filter((name) => typeof name === 'number' || typeof name === 'string') }),
    ...(typeof model === 'string' && { model }),
    usage: {
      calls: amount(spent['calls']),
      inputTokens: amount(spent['inputTokens']),
      outputTokens: amount(spent['outputTokens']),
    },
  };
}

/** A judge's answer checked; fails with `validation` or `too_large`. */
export function checkJudgement(answer: unknown): Judgement {
  if (typeof answer !== 'object' || answer === null || typeof (answer as Judgement).success !== 'boolean') {
    throw invalid("the judge's answer must be an object with success: true or false");
  }
  const { success, feedback, fault } = answer as Record<string, unknown>;
  return {
    success: success as boolean,
    ...optional('feedback', answered(feedback, 'feedback')),
    ...(FAULTS.includes(fault) && { fault: fault as 'tool' | 'environment' }),
  };
}

function answered(value: unknown, name: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw invalid(`${name} in the answer is not text`);
  const bytes = byteLength(value);
  if (bytes > TEXT_MAX_BYTES) {
    throw new EngraphError(
      'too_large',
      `${name} in the answer has ${bytes} bytes, at most ${TEXT_MAX_BYTES} may be in a history: answer with a reference to where you keep it`,
      {
        details: { field: name, bytes, limit: TEXT_MAX_BYTES },
      },
    );
  }
  return value;
}

function optional<K extends string>(key: K, value: string | undefined): { readonly [key in K]?: string } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [key in K]?: string });
}

const amount = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.floor(value) : 0;
