import { DEFAULT_BUDGETS, type ContextBudgets } from './context.js';
import { EDIT_KINDS, type EditKind } from './edit.js';
import { invalid, number, onlyKeys, optional, record, settings, shortText, show, text, whole } from './fields.js';
import { checkSpace } from './space.js';

/** How a step finds what it needs to know. */
export type RetrievalMode = 'fast' | 'hybrid' | 'verified';
export const RETRIEVAL_MODES: readonly RetrievalMode[] = ['fast', 'hybrid', 'verified'];

/** Settings of formation; the numbers are FluxMem's. */
export interface RetrievalSettings {
  readonly mode: RetrievalMode;
  readonly topKSemantic: number;
  readonly topKEpisodic: number;
  readonly topKProcedural: number;
  /** Nodes that one expand adds at most. */
  readonly topKExpand: number;
  readonly denseWeight: number;
  readonly bm25Weight: number;
  readonly llmWeight: number;
  /** A step link whose similarity to the task is below this goes with a prune. Cosine. */
  readonly pruneBelow: number;
}

export interface TaskLimits {
  /** Repairs of one step at most; 0 means none. */
  readonly maxRefinementRounds: number;
  readonly steps: number;
  /** Wall time of the whole task, milliseconds, waits for a person's judgement included. A week by default. */
  readonly wallTimeMs: number;
  /** Tokens that our own model calls may take in the whole task, input and output together. */
  readonly tokens: number;
}

/** An agent that is an activity of the caller's own. */
export interface ActivityAgent {
  readonly taskQueue: string;
  readonly activity: string;
  /** Longest time one attempt of `execute` may take, milliseconds. */
  readonly timeoutMs?: number;
  /** Set where the activity heartbeats, milliseconds: a killed worker is then noticed in that time. */
  readonly heartbeatMs?: number;
  /** True where the activity can do an earlier task again without effects outside (`replayOf` in its input): skills are then tried on it. */
  readonly replayable?: boolean;
}

/** The built-in chat agent, and what it may use besides memory. */
export interface ChatAgent {
  readonly chat: {
    /** Name of an MCP server that the worker is configured with. Never a command or an address: those are the operator's to give. */
    readonly mcp?: string;
  };
}

/** An agent is an activity of the caller's own, or the built-in `chat`. */
export type AgentRef = ActivityAgent | ChatAgent;

export type JudgeRef =
  /** The agent's own word. */
  | { readonly by: 'agent' }
  /** The language model, shown the instruction and the action, never a reference answer. */
  | { readonly by: 'model' }
  /** Waits for the `judge` update. */
  | { readonly by: 'human'; readonly timeoutMs?: number }
  /** An activity of the caller's own. */
  | { readonly by: 'activity'; readonly taskQueue: string; readonly activity: string };

/** Input of `taskWorkflow` as a caller gives it; what is left out takes the default. */
export interface TaskRequest {
  readonly space: string;
  readonly taskId: string;
  readonly instruction: string;
  readonly observation?: string;
  /** The built-in chat agent without tools when left out. */
  readonly agent?: AgentRef;
  readonly judge?: JudgeRef;
  readonly limits?: Partial<TaskLimits>;
  readonly retrieval?: Partial<RetrievalSettings>;
  readonly budgets?: Partial<ContextBudgets>;
  /** Edits that a repair may use; all by default. */
  readonly edits?: readonly EditKind[];
  /** Set by the `skill` workflow only. */
  readonly replay?: ReplayRequest;
}

/**
 * Does an earlier task again with one skill for a memory, and records nothing. Sent by a stranger it does no harm: it reads a
 * kept text of the space that the request names anyway, and changes nothing.
 */
export interface ReplayRequest {
  /** The task that is done again. */
  readonly of: string;
  readonly skillId: string;
  readonly version: number;
  /** Reference of the text under test. */
  readonly text: string;
}

/** A checked request with every default in its place. */
export interface Task {
  readonly space: string;
  readonly taskId: string;
  readonly instruction: string;
  readonly observation: string;
  readonly agent: AgentRef | undefined;
  readonly judge: JudgeRef;
  readonly limits: TaskLimits;
  readonly retrieval: RetrievalSettings;
  readonly budgets: ContextBudgets;
  readonly edits: readonly EditKind[];
  readonly replay?: ReplayRequest;
}

export const DEFAULT_LIMITS: TaskLimits = { maxRefinementRounds: 5, steps: 30, wallTimeMs: 604_800_000, tokens: 200_000 };

export const DEFAULT_RETRIEVAL: RetrievalSettings = {
  mode: 'hybrid',
  topKSemantic: 5,
  topKEpisodic: 3,
  topKProcedural: 3,
  topKExpand: 3,
  denseWeight: 1.0,
  bm25Weight: 0.5,
  llmWeight: 0.3,
  pruneBelow: 0.3,
};

/** How long a person has for a judgement when the request doesn't say: a day. */
export const DEFAULT_JUDGE_TIMEOUT_MS = 86_400_000;

/** Longest wall time of a task, ten years: a timer of more than a server can hold would fail the workflow's task for ever. */
const WALL_TIME_MAX_MS = 315_360_000_000;

/** Executions that one task may come to: steps times (repairs + 1). Keeps a history under the server's 51,200 events. */
export const MAX_EXECUTIONS = 1_000;

/**
 * The request checked, with its defaults; fails with `validation`, `bad_space` or `too_large`, naming the field. Pure: the
 * client calls it before it sends, the workflow again before it does anything, since others start workflows too.
 */
export function checkTask(request: unknown): Task {
  const input = record(request, 'the task');
  onlyKeys(input, 'the task', [
    'space',
    'taskId',
    'instruction',
    'observation',
    'agent',
    'judge',
    'limits',
    'retrieval',
    'budgets',
    'edits',
    'replay',
  ]);
  const limits = settings(DEFAULT_LIMITS, input['limits'], 'limits');
  whole(limits.maxRefinementRounds, 'limits.maxRefinementRounds', 0, 20);
  whole(limits.steps, 'limits.steps', 1, 200);
  whole(limits.wallTimeMs, 'limits.wallTimeMs', 1, WALL_TIME_MAX_MS);
  whole(limits.tokens, 'limits.tokens', 0, Number.MAX_SAFE_INTEGER);
  const executions = limits.steps * (limits.maxRefinementRounds + 1);
  if (executions > MAX_EXECUTIONS) {
    throw invalid(
      `limits.steps ${limits.steps} with limits.maxRefinementRounds ${limits.maxRefinementRounds} may come to ${executions} executions; at most ${MAX_EXECUTIONS} fit one task, so lower one of them`,
    );
  }
  return {
    space: checkSpace(input['space']),
    taskId: shortText(input['taskId'], 'taskId', 256),
    instruction: text(input['instruction'], 'instruction', true),
    observation: input['observation'] === undefined ? '' : text(input['observation'], 'observation', false),
    agent: input['agent'] === undefined ? undefined : checkAgent(input['agent']),
    judge: checkJudge(input['judge']),
    limits,
    retrieval: checkRetrieval(settings(DEFAULT_RETRIEVAL, input['retrieval'], 'retrieval')),
    budgets: checkBudgets(settings(DEFAULT_BUDGETS, input['budgets'], 'budgets')),
    edits: checkEdits(input['edits']),
    ...(input['replay'] !== undefined && { replay: checkReplay(input['replay']) }),
  };
}

function checkReplay(given: unknown): ReplayRequest {
  const replay = record(given, 'replay');
  onlyKeys(replay, 'replay', ['of', 'skillId', 'version', 'text']);
  return {
    of: shortText(replay['of'], 'replay.of', 256),
    skillId: shortText(replay['skillId'], 'replay.skillId', 64),
    version: whole(replay['version'], 'replay.version', 1, Number.MAX_SAFE_INTEGER),
    text: shortText(replay['text'], 'replay.text', 64),
  };
}

function checkRetrieval(retrieval: RetrievalSettings): RetrievalSettings {
  if (!RETRIEVAL_MODES.includes(retrieval.mode)) {
    throw invalid(`retrieval.mode is ${show(retrieval.mode)}; it must be one of ${RETRIEVAL_MODES.join(', ')}`);
  }
  for (const name of ['topKSemantic', 'topKEpisodic', 'topKProcedural', 'topKExpand'] as const) {
    whole(retrieval[name], `retrieval.${name}`, 0, 50);
  }
  checkWeights(retrieval);
  if (retrieval.denseWeight === 0 && retrieval.bm25Weight === 0) {
    throw invalid(
      'retrieval.denseWeight and retrieval.bm25Weight are both 0; one of them must nominate what a verifier could judge',
    );
  }
  number(retrieval.pruneBelow, 'retrieval.pruneBelow', -1, 1);
  return retrieval;
}

/** Fails with `validation` when a weight is negative or none is above 0: such a ranking would be no ranking. */
export function checkWeights(weights: {
  readonly denseWeight: number;
  readonly bm25Weight: number;
  readonly llmWeight: number;
}): void {
  const names = ['denseWeight', 'bm25Weight', 'llmWeight'] as const;
  for (const name of names) number(weights[name], name, 0, 1_000);
  if (names.every((name) => weights[name] === 0)) {
    throw invalid(`the weights ${names.join(', ')} are all 0; at least one must be above 0`);
  }
}

function checkBudgets(budgets: ContextBudgets): ContextBudgets {
  for (const name of ['semantic', 'episodic', 'procedural'] as const) whole(budgets[name], `budgets.${name}`, 0, 8_000);
  const sum = budgets.semantic + budgets.episodic + budgets.procedural;
  if (sum > 8_000)
    throw invalid(`the budgets come to ${sum} tokens; a context has at most 8000 (it must fit the 64 KB of an execute call)`);
  return budgets;
}

function checkEdits(edits: unknown): readonly EditKind[] {
  if (edits === undefined) return EDIT_KINDS;
  if (!Array.isArray(edits) || edits.some((edit) => !EDIT_KINDS.includes(edit as EditKind))) {
    throw invalid(`edits is ${show(edits)}; it must be a list of ${EDIT_KINDS.join(', ')}`);
  }
  return EDIT_KINDS.filter((edit) => edits.includes(edit));
}

/** What an MCP server may be called. */
export const MCP_NAME = /^[\w.-]{1,64}$/u;

function checkAgent(agent: unknown): AgentRef {
  const input = record(agent, 'agent');
  if (input['chat'] !== undefined) {
    onlyKeys(input, 'agent', ['chat']);
    return { chat: checkChat(record(input['chat'], 'agent.chat')) };
  }
  onlyKeys(input, 'agent', ['taskQueue', 'activity', 'timeoutMs', 'heartbeatMs', 'replayable']);
  const timeoutMs = optional(input['timeoutMs'], (value) => whole(value, 'agent.timeoutMs', 1, 86_400_000));
  const heartbeatMs = optional(input['heartbeatMs'], (value) => whole(value, 'agent.heartbeatMs', 1_000, 86_400_000));
  return {
    taskQueue: shortText(input['taskQueue'], 'agent.taskQueue', 1_000),
    activity: shortText(input['activity'], 'agent.activity', 1_000),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(heartbeatMs !== undefined && { heartbeatMs }),
    ...(flag(input['replayable'], 'agent.replayable') && { replayable: true }),
  };
}

/** True only where it is said; anything but true, false and nothing is refused. */
function flag(value: unknown, name: string): boolean {
  if (value !== undefined && typeof value !== 'boolean') throw invalid(`${name} is ${show(value)}; it must be true or false`);
  return value === true;
}

function checkChat(chat: Readonly<Record<string, unknown>>): ChatAgent['chat'] {
  onlyKeys(chat, 'agent.chat', ['mcp']);
  const { mcp } = chat;
  if (mcp === undefined) return {};
  if (typeof mcp === 'string' && MCP_NAME.test(mcp)) return { mcp };
  throw invalid(
    `agent.chat.mcp is ${show(mcp)}; it must be the name of an MCP server that the worker knows: 1 to 64 letters, digits, dots, dashes or underscores`,
  );
}

function checkJudge(judge: unknown): JudgeRef {
  if (judge === undefined) return { by: 'agent' };
  const input = record(judge, 'judge');
  switch (input['by']) {
    case 'agent':
    case 'model':
      onlyKeys(input, 'judge', ['by']);
      return { by: input['by'] };
    case 'human': {
      onlyKeys(input, 'judge', ['by', 'timeoutMs']);
      const timeoutMs = optional(input['timeoutMs'], (value) => whole(value, 'judge.timeoutMs', 1, 31_536_000_000));
      return { by: 'human', ...(timeoutMs !== undefined && { timeoutMs }) };
    }
    case 'activity':
      onlyKeys(input, 'judge', ['by', 'taskQueue', 'activity']);
      return {
        by: 'activity',
        taskQueue: shortText(input['taskQueue'], 'judge.taskQueue', 1_000),
        activity: shortText(input['activity'], 'judge.activity', 1_000),
      };
    default:
      throw invalid(`judge.by is ${show(input['by'])}; it must be one of agent, model, human, activity`);
  }
}
