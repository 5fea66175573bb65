import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import type { Said } from './command-line.js';

const CLI = fileURLToPath(new URL('../../src/cli.ts', import.meta.url));

/** A process of `engraph`, as a shell would start it. */
export interface EngraphProcess {
  readonly pid: number;
  /** The JSON line by which it said that it is ready. */
  readonly ready: Readonly<Record<string, unknown>>;
  /** Ends it as a crash of the machine would: nothing in it runs any more. */
  kill(): Promise<void>;
  /** Asks it to end and waits for that; gives its exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** What a process of ours needs of the shell: where programs and what was fetched are. No key, no setting of the developer's. */
export function bareEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME, XDG_CACHE_HOME, ENGRAPH_CACHE, ENGRAPH_MODEL_DIR, ENGRAPH_PYTHON } = process.env;
  const kept = { PATH, HOME, XDG_CACHE_HOME, ENGRAPH_CACHE, ENGRAPH_MODEL_DIR, ENGRAPH_PYTHON };
  return Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined));
}

/** Starts `engraph dev` or `engraph worker`, and waits until it is ready; rejects with what it said where it ends before. */
export async function startEngraph(command: 'dev' | 'worker', env: NodeJS.ProcessEnv): Promise<EngraphProcess> {
  const child = spawn(process.execPath, ['--import', 'tsx', CLI, command, '--json'], {
    env: { ...bareEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (data: Buffer) => (said += data.toString()));
  const ended = once(child, 'exit') as Promise<[number | null]>;
  const first = once(createInterface(child.stdout), 'line') as Promise<[string]>;
  const line = await Promise.race([first.then(([text]) => text), ended.then(() => undefined)]);
  if (line === undefined || !line.includes('"ready":true'))
    throw new Error(`engraph ${command} did not start: ${line ?? ''}\n${said}`);
  return {
    pid: child.pid as number,
    ready: JSON.parse(line) as Record<string, unknown>,
    kill: async () => void (await end(child, 'SIGKILL', ended)),
    stop: async (signal = 'SIGTERM') => await end(child, signal, ended),
  };
}

async function end(child: ChildProcess, signal: NodeJS.Signals, ended: Promise<[number | null]>): Promise<number | null> {
  child.kill(signal);
  const [code] = await ended;
  return code;
}

/** Types lines to one `engraph` command, as a person would, until its input ends; gives what it came to. */
export async function typeTo(args: readonly string[], env: NodeJS.ProcessEnv, lines: readonly string[]): Promise<Said> {
  const child = spawn(process.execPath, ['--import', 'tsx', CLI, ...args], {
    env: { ...bareEnvironment(), ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  child.stdout.on('data', (data: Buffer) => (out += data.toString()));
  child.stderr.on('data', (data: Buffer) => (err += data.toString()));
  child.stdin.end(lines.map((line) => `${line}\n`).join(''));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code: code ?? -1, out, err };
}
