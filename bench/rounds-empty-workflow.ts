import { proxyActivities } from '@temporalio/workflow';

const { empty } = proxyActivities<{ empty(): Promise<void> }>({ startToCloseTimeout: '1 minute' });

/** As many empty activities as asked, one after the other. */
export async function emptyWorkflow(activities: number): Promise<void> {
  for (let at = 0; at < activities; at++) await empty();
}
