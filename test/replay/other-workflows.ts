import { sleep } from '@temporalio/workflow';

/** Bears the task workflow's name and does something else: its histories must not replay. */
export async function taskWorkflow(): Promise<void> {
  await sleep('1 minute');
}
