import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { qdrantEngine } from './engine.js';

const SERVER = fileURLToPath(new URL('./server.py', import.meta.url));

/** Making a collection syncs some hundred files, which takes seconds on a disk; what a killed process wrote is in memory too. */
const MEMORY = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** A stand-in for a Qdrant server: its engine behind a thin HTTP shim on 127.0.0.1. */
export interface QdrantEdge {
  readonly url: string;
  readonly port: number;
  /** Ends it as a crash of the machine would; what it acknowledged is in the folder. */
  kill(): Promise<void>;
  /** Ends it, and removes its folder where that was its own. */
  stop(): Promise<void>;
}

/** Starts the stand-in on the folder, or on a new one of its own; on the port, or on a free one. It ends with this process. */
export async function startQdrantEdge({ folder, port = 0 }: { folder?: string; port?: number } = {}): Promise<QdrantEdge> {
  const { python, folder: engine } = await qdrantEngine();
  const own = folder === undefined ? await mkdtemp(join(MEMORY, 'engraph-qdrant-')) : undefined;
  const child = spawn(python, ['-B', SERVER, engine, folder ?? (own as string), String(port)], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (data: Buffer) => (said += data.toString()));
  const ended = once(child, 'exit');
  const first = once(createInterface(child.stdout), 'line') as Promise<[string]>;
  const line = await Promise.race([first.then(([text]) => text), ended.then(() => undefined)]);
  if (line === undefined) throw new Error(`the stand-in for Qdrant did not start: ${said}`);
  const listening = (JSON.parse(line) as { port: number }).port;
  return {
    url: `http://127.0.0.1:${listening}`,
    port: listening,
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
    stop: async () => {
      // Where the folder goes too, there is nothing to write down first.
      if (own === undefined) child.stdin.end();
      else child.kill('SIGKILL');
      await ended;
      if (own !== undefined) await rm(own, { recursive: true, force: true });
    },
  };
}
