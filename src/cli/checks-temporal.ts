import type { Connection } from '@temporalio/client';

import type { Config } from '../config.js';
import { missingSearchAttributes } from '../setup/search-attributes.js';
import { connectClient, type TemporalPlace } from '../temporal.js';
import type { Check } from './doctor.js';
import { toldFailure } from './failures.js';
import { runningTemporal } from './opening.js';
import { workersSeen } from './workers-seen.js';

/** The server, its namespace and search attributes, and who serves the queues. What lies behind a missing one is not asked. */
export async function checkTemporal(config: Config): Promise<Check[]> {
  const checks: Check[] = [];
  const look = async <T>(name: string, find: () => Promise<T>, tell: (found: T) => string): Promise<T> => {
    try {
      const found = await find();
      checks.push({ name, state: 'ok', found: tell(found) });
      return found;
    } catch (error) {
      const failure = toldFailure(error);
      checks.push({ name, state: 'missing', found: failure instanceof Error ? failure.message : String(failure) });
      throw new Stopped();
    }
  };
  let connection: Connection | undefined;
  try {
    const place = await look(
      'Temporal server',
      async () => {
        const found = await runningTemporal(config);
        connection = await connectClient(found);
        return found;
      },
      told,
    );
    const { workflowService } = connection as unknown as Connection;
    const { namespace } = place;
    await look(
      'namespace',
      () => workflowService.describeNamespace({ namespace }),
      () => namespace,
    );
    await look(
      'search attributes',
      () => attributes(connection as Connection, namespace),
      (found) => found,
    );
    checks.push(...(await workers(connection as Connection, namespace, config)));
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
  } finally {
    await connection?.close();
  }
  return checks;
}

/** A check failed and was told; those after it can't be made. */
class Stopped extends Error {}

function told({ connectionOptions, devServer }: TemporalPlace): string {
  return `answers at ${connectionOptions.address}${devServer ? `, UI ${devServer.uiUrl}` : ''}`;
}

async function attributes(connection: Connection, namespace: string): Promise<string> {
  const missing = await missingSearchAttributes(connection, namespace);
  if (missing.length > 0) throw new Error(`${missing.join(', ')} not registered: run \`engraph setup\``);
  return 'registered';
}

async function workers(connection: Connection, namespace: string, { queues }: Config): Promise<Check[]> {
  const checks: Check[] = [];
  for (const [kind, queue] of Object.entries(queues)) {
    const seen = await workersSeen(connection, namespace, queue, kind === 'workflow' ? 'workflow' : 'activity');
    const found =
      seen > 0 ? `queue ${queue} is served` : `nobody serves the queue ${queue}: start \`engraph dev\` or \`engraph worker\``;
    checks.push({ name: `worker for ${kind}`, state: seen > 0 ? 'ok' : 'missing', found });
  }
  return checks;
}
