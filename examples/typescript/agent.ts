import { loadClientConnectConfig } from '@temporalio/envconfig';
import { NativeConnection, Worker } from '@temporalio/worker';

import type { ExecuteInput, ExecuteOutcome } from '../../src/domain/agent.js'; // in a project of your own: from 'engraph'

/** Answers with the first time of day that its memory holds. */
async function findTime({ context }: ExecuteInput): Promise<ExecuteOutcome> {
  const [, n, time] = /<memory n="(\d+)"[^>]*>[^<]*?(\d{1,2}:\d\d)/.exec(context) ?? [];
  if (time === undefined) return { action: '', status: 'failed', feedback: 'no memory names a time of day' };
  return { action: time, status: 'succeeded', cited: [Number(n)] };
}

const { connectionOptions, namespace } = loadClientConnectConfig();
const connection = await NativeConnection.connect(connectionOptions);
const worker = await Worker.create({
  connection,
  namespace: namespace ?? 'engraph',
  taskQueue: 'my-agent',
  activities: { findTime },
});
await worker.run();
