import * as wf from '@temporalio/workflow';

import { checkJudgement, checkOutcome, type ExecuteOutcome, type Judgement } from '../src/domain/agent.js';
import { asField, claim, inlay, type Text } from '../src/domain/claim.js';
import type { FeedbackSource, StepLink } from '../src/domain/graph.js';
import { addSpent, NOTHING_SPENT, type EndReason, type Totals } from '../src/domain/refinement.js';
import { byteLength } from '../src/domain/fields.js';
import { DEFAULT_JUDGE_TIMEOUT_MS } from '../src/domain/task.js';
import { checked, kindOf, messageOf } from './failures.js';
import { execute, judgeBy, model } from './proxies.js';
import type { StepView } from './step.js';
import { showRounds, spend, type TaskRun } from './task-run.js';

/** One call of `execute` and its judgement. */
export interface Attempt {
  readonly outcome: 'continue' | 'succeeded' | 'failed';
  readonly action: Text;
  /** What the agent sees next. */
  readonly observation: string;
  readonly feedback: Text;
  readonly feedbackSource: FeedbackSource;
  /** Set where the agent or the judge says that a tool or the environment failed. */
  readonly fault?: 'tool' | 'environment';
  readonly cited: readonly number[];
  readonly unknownCitations: readonly string[];
  readonly agentSpent: Totals;
  /** Set where there is nothing to repair: the agent failed for good, or no judgement came in time. */
  readonly failedFor?: EndReason;
}

/** Executes one round with the step's context, then has it judged as the task says. */
export async function attempt(run: TaskRun, view: StepView, round: number): Promise<Attempt> {
  const answer = await ask(run, view, round);
  if (answer === undefined) return failure(run, 'agent_failed');
  run.answer = answer.action;
  run.agentSpent = addSpent(run.agentSpent, answer.usage ?? {});
  if (answer.model !== undefined && !run.models.includes(answer.model)) run.models.push(answer.model);
  const judged = await judge(run, view, round, answer);
  run.feedback = judged.feedback;
  run.feedbackSource = judged.feedbackSource;
  return {
    ...judged,
    action: claim(run.task.space, answer.action),
    observation: answer.observation ?? '',
    ...citations(view.links, answer.cited ?? []),
    agentSpent: addSpent(NOTHING_SPENT, answer.usage ?? {}),
  };
}

async function ask(run: TaskRun, view: StepView, round: number): Promise<ExecuteOutcome | undefined> {
  const { space, taskId, instruction, agent } = run.task;
  run.executions += 1;
  try {
    const answer = await execute(
      agent,
      {
        space,
        taskId,
        step: view.step,
        round,
        instruction,
        observation: view.observation,
        context: inlay(space, view.context.ref),
        ...(round > 0 && { feedback: asField(space, run.feedback) }),
        history: latest(run),
        ...replayOf(run),
      },
      `step ${view.step} · round ${round} · execute with ${view.links.length} links`,
    );
    return checked(() => checkOutcome(answer));
  } catch (error) {
    if (wf.isCancellation(error)) throw error;
    const kind = kindOf(error);
    if (kind !== undefined && kind !== 'validation' && kind !== 'too_large') throw error;
    run.feedback = claim(space, messageOf(error));
    run.feedbackSource = 'agent';
    return undefined;
  }
}

/**
 * The verdict on an answer, and whose it is. An answer that only goes on, or names a fault outside memory, needs no judge; one
 * that says itself that it failed does: only the judge can say what is missing.
 */
async function judge(
  run: TaskRun,
  view: StepView,
  round: number,
  answer: ExecuteOutcome,
): Promise<Pick<Attempt, 'outcome' | 'feedback' | 'feedbackSource' | 'fault' | 'failedFor'>> {
  const { space, judge: ref } = run.task;
  const own = claim(space, answer.feedback ?? (answer.status === 'failed' ? 'the agent says that it failed, and not why' : ''));
  if (ref.by === 'agent' || answer.status === 'continue' || answer.fault !== undefined) {
    return { outcome: answer.status, feedback: own, feedbackSource: 'agent', ...(answer.fault && { fault: answer.fault }) };
  }
  if (ref.by === 'model') {
    const verdict = await askModel(run, view, round, answer);
    return { outcome: verdict.success ? 'succeeded' : 'failed', feedback: verdict.feedback, feedbackSource: 'model' };
  }
  const verdict =
    ref.by === 'human' ? await askPerson(run, view, round, ref.timeoutMs) : await askActivity(run, view, round, answer, ref);
  if (verdict === undefined) {
    return {
      outcome: 'failed',
      feedback: claim(space, 'nobody judged this round in time'),
      feedbackSource: 'human',
      failedFor: 'judge_timeout',
    };
  }
  return {
    outcome: verdict.success ? 'succeeded' : 'failed',
    feedback: claim(space, verdict.feedback ?? (verdict.success ? '' : 'judged a failure, and not why')),
    feedbackSource: ref.by,
    ...(verdict.fault && { fault: verdict.fault }),
  };
}

async function askModel(run: TaskRun, view: StepView, round: number, answer: ExecuteOutcome) {
  const { space, taskId, instruction } = run.task;
  const verdict = await model().judge.executeWithOptions({ summary: `step ${view.step} · round ${round} · judge by the model` }, [
    {
      ...{ space, taskId, step: view.step, round },
      instruction: claim(space, instruction),
      observation: claim(space, view.observation),
      action: claim(space, answer.action),
    },
  ]);
  spend(run, verdict.spent);
  return verdict;
}

async function askActivity(
  run: TaskRun,
  view: StepView,
  round: number,
  answer: ExecuteOutcome,
  ref: { taskQueue: string; activity: string },
): Promise<Judgement> {
  const { space, taskId, instruction } = run.task;
  const input = {
    space,
    taskId,
    step: view.step,
    round,
    instruction,
    action: answer.action,
    observation: answer.observation ?? '',
    ...replayOf(run),
  };
  const verdict = await judgeBy(ref, input, `step ${view.step} · round ${round} · judge by ${ref.activity}`);
  return checked(() => checkJudgement(verdict));
}

async function askPerson(run: TaskRun, view: StepView, round: number, timeoutMs = DEFAULT_JUDGE_TIMEOUT_MS) {
  run.judgement = undefined;
  run.status = 'awaiting_judgement';
  showRounds(run);
  const summary = `step ${view.step} · round ${round} · wait for a person's judgement`;
  const judged = await wf.condition(() => run.judgement !== undefined, timeoutMs, { summary });
  run.status = 'running';
  const judgement = run.judgement;
  run.judgement = undefined;
  return judged ? judgement : undefined;
}

function failure(run: TaskRun, failedFor: EndReason): Attempt {
  const nothing = claim(run.task.space, '');
  return {
    ...{
      outcome: 'failed',
      failedFor,
      action: nothing,
      observation: '',
      feedback: run.feedback,
      feedbackSource: run.feedbackSource,
    },
    ...{ cited: [], unknownCitations: [], agentSpent: NOTHING_SPENT },
  };
}

/** The nodes that the agent named, by number; names of nodes it was not shown are refused and told. */
function citations(links: readonly StepLink[], named: readonly (number | string)[]): Pick<Attempt, 'cited' | 'unknownCitations'> {
  const numberOf = (name: number | string) =>
    links.find((link) => link.number === name || link.nodeId === name || String(link.number) === name)?.number;
  const cited = named.map(numberOf).filter((number) => number !== undefined);
  return { cited: [...new Set(cited)], unknownCitations: named.filter((name) => numberOf(name) === undefined).map(String) };
}

/** Tells whoever acts or judges that an earlier task is done again. */
const replayOf = ({ task }: TaskRun): { readonly replayOf?: string } => (task.replay ? { replayOf: task.replay.of } : {});

/** Bytes of earlier acts that an `execute` input carries along. */
const HISTORY_BYTES = 16_384;

/** The latest steps of this task that fit, oldest first. */
function latest(run: TaskRun) {
  let left = HISTORY_BYTES;
  const acts = run.trajectory.map(({ observation, action }) => ({ observation: plain(observation), action: plain(action) }));
  const from = acts.findLastIndex((act) => (left -= byteLength(act.observation) + byteLength(act.action)) < 0) + 1;
  return acts.slice(from);
}

const plain = (text: Text): string => ('engraph:claim' in text ? text['engraph:claim'].text : '');
