import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { Connection } from '@temporalio/client';
import { msToTs, tsToMs } from '@temporalio/common/lib/time.js';

import type { Config } from '../config.js';
import { accepts, freePort } from './ports.js';
import type { OnProgress } from './progress.js';
import { ensureSearchAttributes, missingSearchAttributes, SEARCH_ATTRIBUTES } from './search-attributes.js';
import { endService, findService, runService } from './service.js';
import { findTemporalCli, isOlder } from './temporal-cli.js';

const NAME = 'dev-server';
/** Closed workflows stay 90 days instead of the dev server's one (facts/temporal.md, trap 4), in milliseconds. */
const RETENTION_MS = 90 * 24 * 3_600_000;
/** Temporal's own ports, taken where they are free. */
const PORT = 7233;
const UI_PORT = 8233;
/** The first version seen that fetches news into its UI; older ones don't know the flag that forbids it. */
const HAS_NEWS = '1.9.1';
/** Seen: at most 1.1 s on a busy machine (facts/temporal.md 1a); the rest is for slower ones. */
const STARTS_WITHIN_MS = 60_000;
const LOOK_MS = 100;

/** Journal: five times faster than the default (trap 3). Fairness and one partition: priorities hold strictly (1c). */
const FIXED_FLAGS = [
  ...['--ip', '127.0.0.1', '--log-level', 'warn', '--disable-config-file', '--disable-config-env'],
  ...['--sqlite-pragma', 'journal_mode=WAL', '--sqlite-pragma', 'synchronous=NORMAL'],
  ...Object.entries(SEARCH_ATTRIBUTES).flatMap(([name, type]) => ['--search-attribute', `${name}=${type}`]),
];
const DYNAMIC_CONFIG = {
  'matching.enableFairness': true,
  'matching.numTaskqueueReadPartitions': 1,
  'matching.numTaskqueueWritePartitions': 1,
};

/** gRPC's code for a thing that is not there. */
const NOT_FOUND = 5;

export interface DevServerOptions {
  /** Its home folder holds the server's state and log; its `temporal` section names the namespace. */
  readonly config: Config;
  /** A line for a person, now and then. */
  readonly onLine?: (line: string) => void;
  /** Progress of fetching the server, where that is needed. */
  readonly onProgress?: OnProgress;
  /** True: the server outlives this process. Default false: it ends with this process, even when that is killed. */
  readonly detached?: boolean;
  /** Further dynamic configuration of the server, for tests: `{ 'limit.historyCount.suggestContinueAsNew': 40 }`. */
  readonly dynamicConfig?: Readonly<Record<string, string | number | boolean>>;
  readonly signal?: AbortSignal;
}

interface Where {
  readonly address: string;
  readonly uiUrl: string;
}

/** A Temporal server on this machine, with Engraph's namespace and search attributes. */
export interface DevServer extends Where {
  readonly namespace: string;
  readonly pid: number;
  /** Whether this call started it, rather than finding it. */
  readonly owned: boolean;
  /** Ends the server if this call started it, and waits for its end. */
  stop(): Promise<void>;
}

/**
 * Temporal's dev server with its state in `temporal.db` of the home folder: found running, or started (Temporal's ports where
 * free, else others), on 127.0.0.1 only. Fails with `config` when no server can be had, `temporal_unavailable` when it does
 * not come up.
 */
export async function startDevServer({ config, onLine, onProgress, signal, ...options }: DevServerOptions): Promise<DevServer> {
  const { namespace } = config.temporal;
  const service = await runService<Where>({
    name: NAME,
    home: config.home,
    detached: options.detached ?? false,
    failure: 'temporal_unavailable',
    startsWithinMs: STARTS_WITHIN_MS,
    answers: async ({ address }) => await answers(address),
    plan: async () => {
      const cli = await findTemporalCli(config, onProgress, signal);
      const [port, uiPort] = [await freePort(PORT), await freePort(UI_PORT)];
      onLine?.(`starting the Temporal dev server (temporal ${cli.version}) on 127.0.0.1:${port}`);
      const settings = Object.entries({ ...DYNAMIC_CONFIG, ...options.dynamicConfig });
      return {
        command: cli.path,
        args: [
          ...['server', 'start-dev', '--db-filename', join(config.home, 'temporal.db'), '--namespace', namespace],
          ...['--port', String(port), '--ui-port', String(uiPort), ...FIXED_FLAGS],
          ...(isOlder(cli.version, HAS_NEWS) ? [] : ['--ui-disable-news-fetch']),
          ...settings.flatMap(([key, value]) => ['--dynamic-config-value', `${key}=${JSON.stringify(value)}`]),
        ],
        details: { address: `127.0.0.1:${port}`, uiUrl: `http://127.0.0.1:${uiPort}` },
      };
    },
    onWait: () => onLine?.('waiting for another process that starts the Temporal dev server'),
    ...(signal && { signal }),
  });
  try {
    await prepare(service.details.address, namespace);
  } catch (error) {
    await service.stop();
    throw error;
  }
  onLine?.(
    `Temporal dev server ${service.owned ? 'started' : 'found'} at ${service.details.address}, UI ${service.details.uiUrl}`,
  );
  return { ...service.details, namespace, pid: service.pid, owned: service.owned, stop: () => service.stop() };
}

/** The dev server of this home, where one runs; undefined otherwise. Starts and changes nothing. */
export async function findDevServer(config: Config): Promise<DevServer | undefined> {
  const service = await findService<Where>({
    ...{ name: NAME, home: config.home, failure: 'temporal_unavailable', startsWithinMs: STARTS_WITHIN_MS },
    answers: async ({ address }) => await answers(address),
  });
  return (
    service && {
      ...service.details,
      namespace: config.temporal.namespace,
      pid: service.pid,
      owned: false,
      stop: () => service.stop(),
    }
  );
}

/** Ends the dev server of this home, whoever started it; false when none runs. */
export async function stopDevServer(config: Config): Promise<boolean> {
  return await endService(config.home, NAME);
}

async function answers(address: string): Promise<boolean> {
  if (!(await accepts(Number(address.split(':')[1])))) return false;
  try {
    await using(address, async () => {}); // connecting asks the server what it can do
    return true;
  } catch {
    return false; // it accepts connections before it serves
  }
}

/** The namespace with its longer retention, and search attributes, also on a server that another version or setting started. */
async function prepare(address: string, namespace: string): Promise<void> {
  await using(address, async (connection) => {
    const kept = await retentionOf(connection, namespace);
    const { workflowService } = connection;
    if (kept === undefined) {
      await workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod: msToTs(RETENTION_MS) });
      await settled(connection, namespace);
    } else if (kept < RETENTION_MS) {
      await workflowService.updateNamespace({ namespace, config: { workflowExecutionRetentionTtl: msToTs(RETENTION_MS) } });
    }
    await ensureSearchAttributes(connection, namespace);
  });
}

/** How long the namespace keeps closed workflows, in milliseconds; undefined where there is no such namespace. */
async function retentionOf({ workflowService }: Connection, namespace: string): Promise<number | undefined> {
  try {
    const { config } = await workflowService.describeNamespace({ namespace });
    return config?.workflowExecutionRetentionTtl ? tsToMs(config.workflowExecutionRetentionTtl) : 0;
  } catch (error) {
    if ((error as { code?: unknown }).code === NOT_FOUND) return undefined;
    throw error;
  }
}

/** Waits until the server's other services have heard of a new namespace. */
async function settled(connection: Connection, namespace: string): Promise<void> {
  for (const end = Date.now() + STARTS_WITHIN_MS; ; await wait(LOOK_MS)) {
    try {
      return void (await missingSearchAttributes(connection, namespace));
    } catch (error) {
      if ((error as { code?: unknown }).code !== NOT_FOUND || Date.now() > end) throw error;
    }
  }
}

async function using<T>(address: string, work: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = await Connection.connect({ address, connectTimeout: 5000 });
  try {
    return await work(connection);
  } finally {
    await connection.close();
  }
}
