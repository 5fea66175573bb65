import * as wf from '@temporalio/workflow';

import type { Recorded } from '../activities/contract.js';
import { claim } from '../src/domain/claim.js';
import type { EpisodeReplay, Outcome } from '../src/domain/graph.js';
import type { EndReason, TaskResult } from '../src/domain/refinement.js';
import { checkTask, type Task, type TaskRequest } from '../src/domain/task.js';
import { checked, kindOf, messageOf } from './failures.js';
import { text } from './proxies.js';
import { attemptStep } from './step.js';
import { beginRun, tellOutcome, type TaskRun } from './task-run.js';

/**
 * One agent task: form a subgraph, act, repair by feedback until success or the last round, step by step; then leave an
 * episode behind (design.md 3.1). Id `task/{space}/{taskId}`. A failed task is a result, not a failure of the workflow; the
 * workflow fails only on invalid input (`validation`, `bad_space`, `too_large`) and where a part of Engraph failed for good,
 * with that part's kind, after the episode was recorded.
 */
export async function taskWorkflow(request: TaskRequest): Promise<TaskResult> {
  const task = checked(() => checkTask(request));
  const run = beginRun(task, claim(task.space, ''));
  const { reason, broken } = await endOf(run);
  const outcome: Outcome = reason === 'succeeded' ? 'succeeded' : reason === 'cancelled' ? 'cancelled' : 'failed';

  const recorded = await wf.CancellationScope.nonCancellable(async () => {
    const written = await record(run, outcome);
    tellOutcome(run, outcome);
    await wf.condition(wf.allHandlersFinished);
    return written;
  });

  const result = resultOf(run, outcome, reason, recorded);
  run.result = result;
  if (outcome === 'cancelled') throw new wf.CancelledFailure('the task was cancelled; what there was of it is recorded');
  if (broken !== undefined) {
    const type = kindOf(broken);
    if (type === undefined) throw broken;
    throw wf.ApplicationFailure.create({ type, message: messageOf(broken), nonRetryable: true, details: [result] });
  }
  return result;
}

/** Runs the steps inside the task's wall time, and says how that ended. */
async function endOf(run: TaskRun): Promise<{ reason: EndReason; broken?: unknown }> {
  try {
    return { reason: await within(run.task.limits.wallTimeMs, () => takeSteps(run)) };
  } catch (error) {
    if (wf.isCancellation(error)) {
      return { reason: wf.CancellationScope.current().consideredCancelled ? 'cancelled' : 'wall_time' };
    }
    if (!(error instanceof wf.ActivityFailure)) throw error;
    run.feedback = claim(run.task.space, messageOf(error));
    return { reason: 'broken', broken: error };
  }
}

/** `CancellationScope.withTimeout`, with a timer that says in the UI what it is for. */
async function within<T>(timeMs: number, work: () => Promise<T>): Promise<T> {
  const scope = new wf.CancellationScope();
  const timer = new wf.CancellationScope();
  const limit = timer.run(() => wf.sleep(timeMs, { summary: 'wall time of the task' }));
  limit.then(
    () => scope.cancel(),
    () => undefined, // cancelled: the work was done before
  );
  try {
    return await scope.run(work);
  } finally {
    timer.cancel();
  }
}

async function takeSteps(run: TaskRun): Promise<EndReason> {
  let observation = run.task.observation;
  for (let step = 0; step < run.task.limits.steps; step++) {
    const end = await attemptStep(run, step, observation);
    if (end.then === 'end') return end.reason;
    observation = end.observation;
  }
  return 'steps_exhausted';
}

async function record(run: TaskRun, outcome: Outcome): Promise<Recorded> {
  const { task } = run;
  if (task.replay !== undefined) return { episodeId: '', promoted: [], stale: [] };
  const replay = replayOf(task);
  const nodes = outcome === 'succeeded' ? run.receipts.flatMap((receipt) => receipt.nodes) : [];
  const semantic = nodes.filter((node) => node.kind === 'semantic');
  const distinct = (ids: readonly string[]): string[] => [...new Set(ids)];
  return await text().record.executeWithOptions({ summary: `record the episode: ${outcome}` }, [
    {
      space: task.space,
      taskId: task.taskId,
      instruction: claim(task.space, task.instruction),
      trajectory: run.trajectory,
      outcome,
      feedback: run.feedback,
      feedbackSource: run.feedbackSource,
      steps: run.receipts.length,
      repairs: repairsOf(run),
      grounded: distinct(semantic.map((node) => node.nodeId)),
      cited: distinct(semantic.filter((node) => node.cited).map((node) => node.nodeId)),
      promotions: outcome === 'succeeded' ? run.promotions : [],
      stepLinks: run.acts,
      ...(run.inherited.size > 0 && { inherited: [...run.inherited].sort() }),
      ...(replay && { replay }),
    },
  ]);
}

function resultOf(run: TaskRun, outcome: Outcome, reason: EndReason, recorded: Recorded): TaskResult {
  return {
    taskId: run.task.taskId,
    outcome,
    reason,
    answer: run.answer,
    episodeId: recorded.episodeId,
    steps: run.receipts.length,
    executions: run.executions,
    repairs: repairsOf(run),
    spent: run.spent,
    agentSpent: run.agentSpent,
    models: run.models,
    promoted: recorded.promoted,
    stale: recorded.stale,
    ...(run.saved && { saved: run.saved }),
    ...(run.task.replay && outcome !== 'succeeded' && { trace: { trajectory: run.trajectory, feedback: run.feedback } }),
  };
}

/** How the task can be done again; undefined where its agent doesn't say that it can, or a person judges it. */
function replayOf({ agent, judge, limits }: Task): EpisodeReplay | undefined {
  if (agent === undefined || 'chat' in agent || agent.replayable !== true || judge.by === 'human') return undefined;
  const { replayable: _, ...ref } = agent;
  return { agent: ref, judge: judge.by === 'activity' ? judge : { by: judge.by }, steps: limits.steps };
}

const repairsOf = (run: TaskRun): number => run.rounds.filter(({ round }) => round > 0).length;
