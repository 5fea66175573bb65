import type { Client } from '@temporalio/client';

/** What a workflow's history tells of one scheduled activity. */
export interface ActivityRecord {
  readonly activity: string;
  /** The attempt that completed it; 1 where none was lost. */
  readonly attempt: number;
}

/** Every activity that a workflow scheduled, in its order. */
export async function activitiesOf(temporal: Client, workflowId: string): Promise<ActivityRecord[]> {
  const { events } = await temporal.workflow.getHandle(workflowId).fetchHistory();
  const scheduled = new Map<string, { activity: string; attempt: number }>();
  for (const event of events ?? []) {
    const began = event.activityTaskScheduledEventAttributes;
    if (began) scheduled.set(String(event.eventId), { activity: began.activityType?.name ?? '', attempt: 0 });
    const started = event.activityTaskStartedEventAttributes;
    const record = started && scheduled.get(String(started.scheduledEventId));
    if (record) record.attempt = started.attempt ?? 1;
  }
  return [...scheduled.values()];
}
