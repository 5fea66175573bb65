import { existsSync } from 'node:fs';

import { EngraphClient } from '../client.js';
import { memoryOver, openExistingStore, openMemory, type OpenMemory } from '../compose.js';
import type { Config } from '../config.js';
import { EngraphError } from '../domain/failure.js';
import type { Embedder } from '../ports/embedder.js';
import { findDevServer } from '../setup/dev-server.js';
import { connectClient, temporalClient, type TemporalPlace } from '../temporal.js';
import { showProgress } from './progress.js';
import type { Session } from './session.js';
import { workersSeen } from './workers-seen.js';

/** A client and the memory that it reads. */
export interface OpenClient {
  readonly client: EngraphClient;
  close(): Promise<void>;
}

/** What a command needs of the memory: `search` and `write` need the embedding model, `read` needs the store only. */
export type Access = 'read' | 'search' | 'write';

/**
 * The memory that the configuration names. Reading or searching one that is not there fails with `not_found`, since an empty
 * answer would hide a wrong path; writing makes it.
 */
export async function openStore({ config, output }: Session, access: Access): Promise<OpenMemory> {
  if (access !== 'write' && config.qdrant.url === undefined && !existsSync(config.store)) {
    throw new EngraphError(
      'not_found',
      `there is no store at ${config.store}: learn something first, or name the file with --store or --home`,
    );
  }
  if (access !== 'read') return await openMemory(config, showProgress(output));
  return memoryOver(await openExistingStore(config), NO_EMBEDDER);
}

/** Stands where nothing is embedded, so that reading by id or name starts no model; fails when asked for a vector. */
const NO_EMBEDDER: Embedder = {
  identity: { model: 'none', dimension: 0, hash: 'none' },
  embed: () => Promise.reject(new Error('this command opened the memory without an embedding model')),
  close: () => Promise.resolve(),
};

/** The Temporal server of this configuration, where one runs. Starts nothing: fails with `temporal_unavailable` and says what would. */
export async function runningTemporal(config: Config): Promise<TemporalPlace> {
  if (config.temporal.kind === 'server') return config.temporal;
  const devServer = await findDevServer(config);
  if (devServer) return { connectionOptions: { address: devServer.address }, namespace: devServer.namespace, devServer };
  throw new EngraphError(
    'temporal_unavailable',
    `no Temporal server runs for ${config.home}: start one with \`engraph dev\` in another terminal, or set TEMPORAL_ADDRESS`,
  );
}

/** A client of the running server; says on stderr when no worker is there to do what is asked. */
export async function openClient(session: Session, access: 'read' | 'write'): Promise<OpenClient> {
  const { config, output } = session;
  const place = await runningTemporal(config);
  const connection = await connectClient(place);
  try {
    const taskQueue = config.queues.workflow;
    const seen = await workersSeen(connection, place.namespace, taskQueue);
    if (seen === 0)
      output.note(
        `no worker serves the queue ${taskQueue}: what is asked waits until one does (\`engraph dev\` or \`engraph worker\`)`,
      );
    const memory = await openStore(session, access);
    const temporal = temporalClient(config, place, connection);
    return {
      client: new EngraphClient({ temporal, memory, taskQueue, timeZone: config.timeZone }),
      close: async () => {
        await memory.close();
        await connection.close();
      },
    };
  } catch (error) {
    await connection.close();
    throw error;
  }
}
