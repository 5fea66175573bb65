import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { Config } from '../config.js';
import { ensureLlmEngine } from './local-llm-engine.js';
import { requireLocalLlm } from './local-llm-weights.js';
import { freePort } from './ports.js';
import type { OnProgress } from './progress.js';
import { identityOf } from './process.js';
import { endService, runService } from './service.js';

const NAME = 'local-llm';
const SERVER = fileURLToPath(new URL('./local_llm_server.py', import.meta.url));
const MODEL = 'qwen2.5-coder-1.5b';
/** Room for a task's whole context and the answer; 28 KB of memory a token. */
const CONTEXT_TOKENS = 8192;
/** 1.1 GB from a slow disk. */
const STARTS_WITHIN_MS = 180_000;

/** An OpenAI-compatible endpoint on this machine. */
export interface LocalLlm {
  readonly baseUrl: string;
  readonly model: string;
}

/**
 * The local model, served on 127.0.0.1 and shared by all processes of this home: found running, or started. It stays while
 * one of them lives and ends a minute after the last. All cores but one compute, since more threads than free cores make it
 * stand still (facts/models.md 3.3). Fails with `config` when its weights were not fetched, `llm_unavailable` when it does
 * not come up.
 */
export async function ensureLocalLlm(config: Config, onProgress?: OnProgress, signal?: AbortSignal): Promise<LocalLlm> {
  const weights = await requireLocalLlm(config);
  const engine = await ensureLlmEngine(config, onProgress, signal);
  const users = await signIn(config.home);
  const { details } = await runService<{ readonly port: number }>({
    name: NAME,
    home: config.home,
    // Its users keep it alive, not the one that happened to start it; Windows can't tell them, so there it is the starter.
    detached: process.platform !== 'win32',
    failure: 'llm_unavailable',
    startsWithinMs: STARTS_WITHIN_MS,
    answers: async ({ port }) => await answers(port),
    plan: async () => {
      onProgress?.({ what: MODEL, phase: 'starting' });
      const port = await freePort();
      const threads = Math.max(1, availableParallelism() - 1);
      const settings = [engine, weights, MODEL, port, threads, CONTEXT_TOKENS, users];
      return { command: config.python, args: [SERVER, ...settings.map(String)], details: { port } };
    },
    onWait: () => onProgress?.({ what: MODEL, phase: 'waiting', note: 'another process is starting it' }),
    ...(signal && { signal }),
  });
  onProgress?.({ what: MODEL, phase: 'ready' });
  return { baseUrl: `http://127.0.0.1:${details.port}/v1`, model: MODEL };
}

/** Ends the local model of this home, whoever started it; false when none runs. */
export async function stopLocalLlm(config: Config): Promise<boolean> {
  return await endService(config.home, NAME);
}

/** Leaves this process's number where the server looks for its users, and takes away those of processes that ended. */
async function signIn(home: string): Promise<string> {
  const users = join(home, `${NAME}.users`);
  await mkdir(users, { recursive: true });
  for (const file of await readdir(users)) {
    if ((await identityOf(Number(file))) === undefined) await rm(join(users, file), { force: true });
  }
  await writeFile(join(users, String(process.pid)), '');
  return users;
}

/** The server says 503 while it loads. */
async function answers(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/health`, { signal: AbortSignal.timeout(5000) })).ok;
  } catch {
    return false; // not listening yet
  }
}
