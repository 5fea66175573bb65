import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

const CLI = fileURLToPath(new URL('../src/cli.ts', import.meta.url));

/** A worker of Engraph in a process of its own, which can be killed as a crash would. */
export class WorkerProcess {
  readonly pid: number;
  /** The language model that it serves with, by the name it gives itself. */
  readonly model: string;
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;

  private constructor(child: ChildProcess, model: string, ended: Promise<unknown>) {
    this.#child = child;
    this.pid = child.pid as number;
    this.model = model;
    this.#ended = ended;
  }

  /** Starts `engraph worker` and waits until it serves; what it says goes to the log file. Rejects where it ends before. */
  static async start(env: NodeJS.ProcessEnv, logFile: string): Promise<WorkerProcess> {
    const log = openSync(logFile, 'a');
    const child = spawn(process.execPath, ['--import', 'tsx', CLI, 'worker', '--json'], { env, stdio: ['ignore', 'pipe', log] });
    const ended = once(child, 'exit');
    const ready = once(createInterface({ input: child.stdout as Readable }), 'line') as Promise<[string]>;
    const line = await Promise.race([ready.then(([text]) => text), ended.then(() => undefined)]);
    if (line === undefined || !line.includes('"ready":true'))
      throw new Error(`a worker did not start: ${line ?? ''} (see ${logFile})`);
    const { model } = JSON.parse(line) as { model: string };
    return new WorkerProcess(child, model, ended);
  }

  /** Holds the process where it is: it runs nothing and answers nothing until it goes on. */
  freeze(): void {
    this.#child.kill('SIGSTOP');
  }

  goOn(): void {
    this.#child.kill('SIGCONT');
  }

  /** Ends it as a crash would: nothing in it gets to run any more. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  /** Asks it to end in order, and waits. */
  async stop(): Promise<void> {
    this.#child.kill('SIGTERM');
    await this.#ended;
  }
}
