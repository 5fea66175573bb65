import * as wf from '@temporalio/workflow';

import type { FailingTrace, OpenedSkill, SkillKey, SkillSource } from '../activities/contract-skills.js';
import { inlay, type Text } from '../src/domain/claim.js';
import type { EndReason, TaskResult } from '../src/domain/refinement.js';
import { keyOf } from '../src/domain/space.js';
import type { taskWorkflow } from './task.js';

/** Replays that run at once. */
const AT_ONCE = 4;
/** What one replay may take. */
const WALL_TIME_MS = 3_600_000;

/** Ends that say nothing of the skill. */
const SAYS_NOTHING: readonly EndReason[] = [
  'wall_time',
  'agent_failed',
  'judge_timeout',
  'tokens',
  'history_full',
  'broken',
  'cancelled',
];

/** Does the skill's episodes again, each as a task that sees this text and nothing else, and records nothing. Fails with `not_found` where no agent did one. */
export async function replaySources(
  key: SkillKey,
  opened: OpenedSkill,
  round: number,
  text: Text,
): Promise<{ succeeded: number; failing: readonly FailingTrace[] }> {
  const results: (FailingTrace | undefined)[] = opened.sources.map(() => undefined);
  let succeeded = 0;
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let at = next++; at < opened.sources.length; at = next++) {
      const source = opened.sources[at] as SkillSource;
      const result = await replay(key, { source, at, round, text, version: opened.version });
      if (result.outcome === 'succeeded') succeeded += 1;
      else results[at] = traceOf(source, result);
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, opened.sources.length) }, lane));
  return { succeeded, failing: results.filter((trace) => trace !== undefined) };
}

interface Replay {
  readonly source: SkillSource;
  readonly at: number;
  readonly round: number;
  readonly text: Text;
  readonly version: number;
}

async function replay({ space, runId, skillId }: SkillKey, { source, at, round, text, version }: Replay): Promise<TaskResult> {
  const { replay: ref, taskId: of } = source;
  const taskId = `replay ${skillId} ${runId.slice(0, 8)} ${round}.${at}`;
  if (ref === undefined) throw wf.ApplicationFailure.nonRetryable(`episode ${source.episodeId} can't be replayed`, 'validation');
  const result = await wf.executeChild<typeof taskWorkflow>('taskWorkflow', {
    workflowId: `replay/${keyOf(space)}/${skillId}/${runId}/${round}.${at}`,
    args: [
      {
        ...{ space, taskId, agent: ref.agent, judge: ref.judge },
        instruction: inlay(space, refOf(source.instruction)),
        observation: inlay(space, refOf(source.observation)),
        limits: { steps: ref.steps, maxRefinementRounds: 0, wallTimeMs: WALL_TIME_MS },
        replay: { of, skillId, version, text: refOf(text) },
      },
    ],
    staticSummary: `replay of ${keyOf(of)} under the skill, round ${round}`,
  });
  if (!SAYS_NOTHING.includes(result.reason)) return result;
  throw wf.ApplicationFailure.nonRetryable(
    `the replay of task ${keyOf(of)} ended as ${result.reason}: see that a worker of its agent runs on the queue ${ref.agent.taskQueue}`,
    'not_found',
  );
}

function traceOf({ instruction }: SkillSource, { trace }: TaskResult): FailingTrace {
  if (trace === undefined) throw wf.ApplicationFailure.nonRetryable('a replay that failed has left no trace', 'validation');
  return { instruction, ...trace };
}

/** What our activities hand to this workflow is kept in the store already. */
function refOf(text: Text): string {
  if ('engraph:ref' in text) return text['engraph:ref'];
  throw wf.ApplicationFailure.nonRetryable('a text of a skill is not kept in the store', 'validation');
}
