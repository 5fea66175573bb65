import type { Connection } from '@temporalio/client';
import { tsToMs } from '@temporalio/common/lib/time.js';

/** A waiting worker asks the server anew at least once a minute; one that was last seen longer ago is gone. */
const SEEN_WITHIN_MS = 75_000;
/** temporal.api.enums.v1.TaskQueueType. */
const TYPES = { workflow: 1, activity: 2 } as const;

/** How many workers of a queue the server has heard of lately. One that was killed counts for a minute longer. */
export async function workersSeen(
  { workflowService }: Pick<Connection, 'workflowService'>,
  namespace: string,
  name: string,
  type: keyof typeof TYPES = 'workflow',
): Promise<number> {
  const { pollers } = await workflowService.describeTaskQueue({ namespace, taskQueue: { name }, taskQueueType: TYPES[type] });
  const oldest = Date.now() - SEEN_WITHIN_MS;
  return (pollers ?? []).filter(({ lastAccessTime }) => lastAccessTime && tsToMs(lastAccessTime) >= oldest).length;
}
