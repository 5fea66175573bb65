import { existsSync } from 'node:fs';

import { loadClientConnectConfig } from '@temporalio/envconfig';
import type { NativeConnectionOptions } from '@temporalio/worker';

import { EngraphError } from '../domain/failure.js';

/** Namespace of the dev server; Temporal's own name for the rest. */
const DEV_NAMESPACE = 'engraph';
const SERVER_NAMESPACE = 'default';
/** What Temporal's own CLI connects to when a profile names no address. */
const LOCAL_ADDRESS = 'localhost:7233';

/** Which Temporal to use: one that is there already, or a dev server that Engraph starts (or finds) in its home folder. */
export type TemporalTarget =
  | {
      readonly kind: 'server';
      /** For `Connection.connect` and `NativeConnection.connect`. Holds the API key, if any. */
      readonly connectionOptions: NativeConnectionOptions & { readonly address: string };
      readonly namespace: string;
    }
  | { readonly kind: 'dev'; readonly namespace: string };

/**
 * Reads TEMPORAL_* and Temporal's own profile file with Temporal's own reader. A server is meant when an address is given
 * anywhere, or a profile or file is asked for by name; TEMPORAL_NAMESPACE alone names the dev server's namespace.
 * Fails with `config` for a profile or file that is not there or can't be read.
 */
export function temporalTarget(env: Readonly<Record<string, string>>): TemporalTarget {
  const asked = env['TEMPORAL_CONFIG_FILE'];
  if (asked !== undefined && !existsSync(asked)) {
    throw new EngraphError('config', `TEMPORAL_CONFIG_FILE names ${asked}, which does not exist: correct the path or unset it`);
  }
  const { connectionOptions, namespace } = readProfile(env);
  const { address, ...rest } = connectionOptions;
  if (address === undefined && asked === undefined && env['TEMPORAL_PROFILE'] === undefined) {
    return { kind: 'dev', namespace: namespace ?? DEV_NAMESPACE };
  }
  const options = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  return {
    kind: 'server',
    connectionOptions: { ...options, address: address ?? LOCAL_ADDRESS },
    namespace: namespace ?? SERVER_NAMESPACE,
  };
}

function readProfile(env: Readonly<Record<string, string>>): ReturnType<typeof loadClientConnectConfig> {
  try {
    return loadClientConnectConfig({ overrideEnvVars: { ...env } });
  } catch (error) {
    // Only the first line, and no cause: the lines after it quote the file, which may hold an API key.
    const reason = error instanceof Error ? error.message.split('\n', 1)[0] : String(error);
    throw new EngraphError(
      'config',
      `Temporal's settings (TEMPORAL_* and its profile file) can't be used: ${reason}. Correct them, or unset them to get a dev server`,
    );
  }
}
