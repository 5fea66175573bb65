import { proxyActivities, workflowInfo, type ActivityOptions } from '@temporalio/workflow';

import type { ConversationActivities } from '../activities/contract-conversation.js';
import type { KnowledgeActivities } from '../activities/contract-knowledge.js';
import type { SkillActivities } from '../activities/contract-skills.js';
import type { SleepActivities } from '../activities/contract-sleep.js';
import type { ModelActivities, TextActivities } from '../activities/contract.js';
import type { AgentRef } from '../src/domain/task.js';
import type { ExecuteInput, ExecuteOutcome, JudgeInput, Judgement } from '../src/domain/agent.js';

/** Name of the queue that serves one kind of activity; a worker of ours listens on the same. */
const queue = (kind: 'store' | 'text' | 'model'): string => `${workflowInfo().taskQueue}-${kind}`;

/** A heartbeat this late means that the worker is dead. Activities beat every few seconds. */
const HEARTBEAT: ActivityOptions['heartbeatTimeout'] = '10 seconds';

/** What only touches the store. No attempt limit: a store that is down delays a memory, it must not lose one. */
export const store = () =>
  proxyActivities<KnowledgeActivities & ConversationActivities & SleepActivities & SkillActivities>({
    taskQueue: queue('store'),
    summary: 'graph store',
    startToCloseTimeout: '30 seconds',
    heartbeatTimeout: HEARTBEAT,
    retry: { initialInterval: '200 ms', maximumInterval: '30 seconds' },
  });

/** What burns CPU: embedding, and search, which begins with it. No attempt limit for the same reason. */
export const text = () =>
  proxyActivities<TextActivities & KnowledgeActivities & ConversationActivities & SleepActivities & SkillActivities>({
    taskQueue: queue('text'),
    summary: 'text',
    startToCloseTimeout: '5 minutes',
    heartbeatTimeout: HEARTBEAT,
    retry: { initialInterval: '500 ms', maximumInterval: '30 seconds' },
  });

/** What waits for the language model. A limit on attempts: each may cost money. */
export const model = () =>
  proxyActivities<ModelActivities & ConversationActivities & SleepActivities & SkillActivities>({
    taskQueue: queue('model'),
    summary: 'language model',
    // Longer than ENGRAPH_TIMEOUT_MS for two requests of a slow model; a worker that dies is noticed by its heartbeat.
    startToCloseTimeout: '25 minutes',
    heartbeatTimeout: HEARTBEAT,
    retry: { initialInterval: '1 second', maximumInterval: '1 minute', maximumAttempts: 5 },
  });

type AgentActivities = Record<string, (input: ExecuteInput) => Promise<ExecuteOutcome>>;
type JudgeActivities = Record<string, (input: JudgeInput) => Promise<Judgement>>;

/** The caller's own agent on its own queue, or the built-in chat agent. `summary` is what the UI shows beside the call. */
export async function execute(agent: AgentRef | undefined, input: ExecuteInput, summary: string): Promise<ExecuteOutcome> {
  if (agent === undefined || 'chat' in agent) {
    const mcp = agent?.chat.mcp;
    return await model().execute.executeWithOptions({ summary }, [{ ...input, ...(mcp !== undefined && { mcp }) }]);
  }
  const proxy = proxyActivities<AgentActivities>({
    taskQueue: agent.taskQueue,
    summary,
    startToCloseTimeout: agent.timeoutMs ?? '10 minutes',
    ...(agent.heartbeatMs !== undefined && { heartbeatTimeout: agent.heartbeatMs }),
    retry: { initialInterval: '1 second', maximumInterval: '1 minute', maximumAttempts: 5 },
  });
  return await activity(proxy, agent.activity)(input);
}

/** A judge activity of the caller's own. */
export async function judgeBy(
  ref: { taskQueue: string; activity: string },
  input: JudgeInput,
  summary: string,
): Promise<Judgement> {
  const proxy = proxyActivities<JudgeActivities>({
    taskQueue: ref.taskQueue,
    summary,
    startToCloseTimeout: '10 minutes',
    retry: { initialInterval: '1 second', maximumInterval: '1 minute', maximumAttempts: 5 },
  });
  return await activity(proxy, ref.activity)(input);
}

function activity<F>(proxy: Record<string, F>, name: string): F {
  return proxy[name] as F;
}
