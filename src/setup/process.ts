import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';

/** How long a process may take to end by itself before it is killed, and how often is looked, in milliseconds. */
const ENDS_WITHIN_MS = 10_000;
const LOOK_MS = 50;

/** A process by its number and by what tells it from a later one with the same number. */
export interface ProcessRef {
  readonly pid: number;
  readonly identity: string;
}

/**
 * What no other process of that number has had or will have (on Windows nothing better than the number is asked for), or
 * undefined when there is no such process. One that has ended and was not collected yet counts as gone.
 */
export async function identityOf(pid: number): Promise<string | undefined> {
  if (!exists(pid)) return undefined;
  if (process.platform === 'win32') return String(pid);
  if (process.platform === 'linux') return await linuxIdentity(pid);
  const { stdout } = await promisify(execFile)('ps', ['-o', 'lstart=,stat=', '-p', String(pid)]).catch(() => ({ stdout: '' }));
  const [, started, state] = /^\s*(.*\d)\s+(\S+)\s*$/.exec(stdout) ?? [];
  return started === undefined || state?.startsWith('Z') ? undefined : started;
}

/** Whether exactly that process still runs. */
export async function isRunning({ pid, identity }: ProcessRef): Promise<boolean> {
  return (await identityOf(pid)) === identity;
}

/** Asks the process to end, waits, and kills it when it does not within ten seconds. Returns when it is gone. */
export async function endProcess(ref: ProcessRef): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    if (!(await isRunning(ref))) return;
    send(ref.pid, signal);
    for (const end = Date.now() + ENDS_WITHIN_MS; Date.now() < end; await wait(LOOK_MS)) {
      if (!(await isRunning(ref))) return;
    }
  }
  throw new Error(`process ${ref.pid} does not end`);
}

async function linuxIdentity(pid: number): Promise<string | undefined> {
  try {
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
    const line = await readFile(`/proc/${pid}/stat`, 'utf8');
    // Fields after the command in parentheses, which may hold anything: state is the 1st, start time the 20th (proc(5)).
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : `${boot.trim()}:${fields[19]}`;
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'; // there, and another user's
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
