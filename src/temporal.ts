import { Client, Connection } from '@temporalio/client';
import { NativeConnection, type NativeConnectionOptions } from '@temporalio/worker';

import type { Config } from './config.js';
import { dataConverterOf } from './data-converter.js';
import { EngraphError } from './domain/failure.js';
import { startDevServer, type DevServer } from './setup/dev-server.js';
import type { OnProgress } from './setup/progress.js';

/** Which Temporal serves, ready to connect to. */
export interface TemporalPlace {
  readonly connectionOptions: NativeConnectionOptions & { readonly address: string };
  readonly namespace: string;
  /** The dev server, where the configuration names no server of its own. */
  readonly devServer?: DevServer;
}

/** Finds the configured server, or starts or finds the dev server of this home. `detached` lets it outlive this process. */
export async function findTemporal(
  config: Config,
  options: { detached?: boolean; onLine?: (line: string) => void; onProgress?: OnProgress } = {},
): Promise<TemporalPlace> {
  if (config.temporal.kind === 'server') return config.temporal;
  const devServer = await startDevServer({ config, ...options });
  return { connectionOptions: { address: devServer.address }, namespace: devServer.namespace, devServer };
}

/** A client's connection; `temporal_unavailable` where nobody answers. */
export async function connectClient({ connectionOptions }: TemporalPlace): Promise<Connection> {
  return await reaching(connectionOptions.address, () => Connection.connect({ ...connectionOptions, connectTimeout: 10_000 }));
}

/** Temporal's client of that place, which encrypts and decrypts as the configuration says. */
export function temporalClient(
  config: Pick<Config, 'payloadKeys'>,
  { namespace }: TemporalPlace,
  connection: Connection,
): Client {
  return new Client({ connection, namespace, dataConverter: dataConverterOf(config) });
}

/** A worker's connection; `temporal_unavailable` where nobody answers. */
export async function connectWorker({ connectionOptions }: TemporalPlace): Promise<NativeConnection> {
  return await reaching(connectionOptions.address, () => NativeConnection.connect(connectionOptions));
}

async function reaching<T>(address: string, connect: () => Promise<T>): Promise<T> {
  try {
    return await connect();
  } catch (error) {
    throw new EngraphError(
      'temporal_unavailable',
      `no Temporal server answers at ${address}: start it, correct TEMPORAL_ADDRESS, or unset it to get a dev server`,
      {
        cause: error,
      },
    );
  }
}
