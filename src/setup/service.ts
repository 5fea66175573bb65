import { spawn, type ChildProcess } from 'node:child_process';
import { mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { EngraphError, type FailureKind } from '../domain/failure.js';
import { withLock } from './lock.js';
import { endProcess, identityOf, isRunning, type ProcessRef } from './process.js';

/** How often a starting service is looked at, in milliseconds. */
const LOOK_MS = 100;
/** Ports are found free and then taken by another now and then: so many starts are tried. */
const STARTS = 3;

/** What is needed to run one program in the background, once for all processes that share a home folder. */
export interface ServiceSpec<Details extends object> {
  /** Names its files in the home folder: NAME.json (who runs and where), NAME.log (what it printed since its last start). */
  readonly name: string;
  readonly home: string;
  /** Chooses ports and the command line anew for each start. */
  readonly plan: () => Promise<{ readonly command: string; readonly args: readonly string[]; readonly details: Details }>;
  /** Whether it answers; asked again and again while it starts. */
  readonly answers: (details: Details) => Promise<boolean>;
  /** Longest start, in milliseconds. */
  readonly startsWithinMs: number;
  /** The kind of failure when it does not start or does not answer. */
  readonly failure: FailureKind;
  /** True: it goes on when this process ends. False: it ends with it, even when this process is killed. */
  readonly detached: boolean;
  readonly onWait?: () => void;
  readonly signal?: AbortSignal;
}

/** What is needed to find it. */
export type Sought<Details extends object> = Omit<ServiceSpec<Details>, 'plan' | 'detached' | 'onWait'>;

/** A program that runs and answers. */
export interface Service<Details extends object> {
  readonly pid: number;
  readonly details: Details;
  /** Whether this call started it. */
  readonly owned: boolean;
  /** Ends it if this call started it, and waits for its end; does nothing otherwise. Safe to call twice. */
  stop(): Promise<void>;
}

/**
 * Finds the service of this home running, or starts it. Of several processes that ask at once one starts it, the others find
 * it. Fails with the kind given when it does not come up (with the end of its log) or runs and does not answer.
 */
export async function runService<Details extends object>(spec: ServiceSpec<Details>): Promise<Service<Details>> {
  await mkdir(spec.home, { recursive: true });
  return await withLock(join(spec.home, spec.name), async (held) => (await find(spec)) ?? (await start(spec, held)), {
    ...(spec.onWait && { onWait: spec.onWait }),
    ...(spec.signal && { signal: spec.signal }),
  });
}

/** The service of this home, where it runs and answers; nothing is started. */
export async function findService<Details extends object>(spec: Sought<Details>): Promise<Service<Details> | undefined> {
  return await find(spec);
}

/** Ends the service of that name and home, whoever started it; false when none runs. */
export async function endService(home: string, name: string): Promise<boolean> {
  const state = await readState(home, name);
  if (!state || !(await isRunning(state))) return false;
  await endProcess(state);
  await forget(home, name, state);
  return true;
}

type State<Details extends object> = ProcessRef & { readonly details: Details };

async function find<Details extends object>(spec: Sought<Details>): Promise<Service<Details> | undefined> {
  const state = await readState<Details>(spec.home, spec.name);
  if (!state || !(await isRunning(state))) return undefined;
  if (await comesUp(spec, state.details, () => isRunning(state))) {
    return { pid: state.pid, details: state.details, owned: false, stop: async () => {} };
  }
  if (!(await isRunning(state))) return undefined;
  throw new EngraphError(
    spec.failure,
    `${spec.name} runs as process ${state.pid} and does not answer: end that process and try again`,
    { details: { pid: state.pid, log: logOf(spec.home, spec.name) } },
  );
}

async function start<Details extends object>(spec: ServiceSpec<Details>, held: () => boolean): Promise<Service<Details>> {
  for (let starts = 1; ; starts++) {
    const { command, args, details } = await spec.plan();
    const child = await launch(logOf(spec.home, spec.name), command, args);
    const { pid } = child;
    const identity = pid === undefined ? undefined : await identityOf(pid);
    if (pid !== undefined && identity !== undefined) {
      const state = { pid, identity, details };
      const guard = spec.detached ? () => {} : endWithUs(child, pid);
      const stop = async (): Promise<void> => {
        guard();
        await endProcess(state);
        await forget(spec.home, spec.name, state);
      };
      await writeState(spec.home, spec.name, state);
      try {
        // A lock that was lost means that another process may be starting a second one on the same files.
        if ((await comesUp(spec, details, () => child.exitCode === null && child.signalCode === null)) && held()) {
          return { pid, details, owned: true, stop };
        }
      } catch (error) {
        await stop();
        throw error;
      }
      await stop();
    }
    if (starts === STARTS) throw await didNotStart(spec.name, logOf(spec.home, spec.name), spec.failure);
  }
}

async function comesUp<Details extends object>(
  spec: Sought<Details>,
  details: Details,
  lives: () => boolean | Promise<boolean>,
): Promise<boolean> {
  for (const end = Date.now() + spec.startsWithinMs; Date.now() < end && (await lives()); await wait(LOOK_MS)) {
    spec.signal?.throwIfAborted();
    if (await spec.answers(details)) return true;
  }
  return false;
}

async function launch(logFile: string, command: string, args: readonly string[]): Promise<ChildProcess> {
  const log = await open(logFile, 'w');
  try {
    // A process group of its own: Ctrl+C in a terminal must not end it before those who use it have finished.
    const child = spawn(command, args, { detached: true, stdio: ['ignore', log.fd, log.fd], windowsHide: true });
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve).once('error', reject);
    }).catch((cause: unknown) => {
      throw new EngraphError('config', `${command} can't be run: install it or correct the setting that names it`, { cause });
    });
    child.unref();
    return child;
  } finally {
    await log.close();
  }
}

/**
 * Ends the service when this process ends in whatever way: a shell waits for the end of a pipe that only we hold open.
 * Returns what calls that off.
 */
function endWithUs(child: ChildProcess, pid: number): () => void {
  if (process.platform === 'win32') {
    const end = (): void => void child.kill();
    process.once('exit', end);
    child.once('exit', () => process.off('exit', end));
    return () => process.off('exit', end);
  }
  const watcher = spawn('sh', ['-c', 'read -r _; kill "$1"', 'sh', String(pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  watcher.on('error', () => {}); // no shell, no guard: the service then ends by stop() only
  watcher.stdin.on('error', () => {});
  watcher.unref();
  (watcher.stdin as unknown as { unref(): void }).unref(); // a pipe is a socket in Node, and must not keep us alive
  const callOff = (): void => void watcher.kill('SIGKILL');
  child.once('exit', callOff);
  return callOff;
}

async function didNotStart(name: string, logFile: string, failure: FailureKind): Promise<EngraphError> {
  const said = (await readFile(logFile, 'utf8')).trim().split('\n').slice(-3).join(' | ').slice(-600);
  return new EngraphError(failure, `${name} did not start (${logFile}): ${said || 'it printed nothing'}`, { retryable: false });
}

const logOf = (home: string, name: string): string => join(home, `${name}.log`);
const stateFile = (home: string, name: string): string => join(home, `${name}.json`);

async function readState<Details extends object>(home: string, name: string): Promise<State<Details> | undefined> {
  try {
    return JSON.parse(await readFile(stateFile(home, name), 'utf8')) as State<Details>;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new EngraphError('config', `${stateFile(home, name)} can't be read: remove it`, { cause: error });
  }
}

async function writeState(home: string, name: string, state: State<object>): Promise<void> {
  const fresh = `${stateFile(home, name)}.${process.pid}`;
  await writeFile(fresh, JSON.stringify(state, undefined, 2));
  await rename(fresh, stateFile(home, name));
}

/** Removes the state file unless it speaks of a later process by now. */
async function forget(home: string, name: string, { pid, identity }: ProcessRef): Promise<void> {
  const state = await readState(home, name);
  if (state?.pid === pid && state.identity === identity) await rm(stateFile(home, name), { force: true });
}
