import { randomUUID } from 'node:crypto';
import { mkdir, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import { EngraphError } from '../domain/failure.js';
import { withLock } from './lock.js';
import type { OnProgress, SetupProgress } from './progress.js';
import { sha256 as sha256Of } from './sha256.js';

/** What was seen when the files were checked: a file that still has this size and time is not read again. */
type Seal = Readonly<Record<string, { readonly size: number; readonly mtimeMs: number }>>;
const SEAL = '.checked.json';

export interface CachedFiles {
  readonly cacheDir: string;
  /** The files that the folder must hold, by path inside it, with the SHA-256 of each in hex. Files not named are allowed. */
  readonly sha256: Readonly<Record<string, string>>;
  /** Puts the files into the folder it is given, which is empty. */
  readonly fetch: (folder: string, report: (progress: Omit<SetupProgress, 'what'>) => void) => Promise<void>;
  /** The setting that makes the fetch unnecessary, as an imperative: ends the message of every failure. */
  readonly wayRound: string;
  readonly onProgress?: OnProgress;
  readonly signal?: AbortSignal;
}

/**
 * The folder `name` of the cache with all its files, each proven by its SHA-256: fetched once, whichever process comes first,
 * while the others wait and say so. It appears whole or not at all, and a file changed since is noticed and fetched anew.
 * Fails with `config` when the fetch fails or brings other bytes; nothing of it is left then.
 */
export async function cached(name: string, files: CachedFiles): Promise<string> {
  const folder = join(files.cacheDir, name);
  const report = (progress: Omit<SetupProgress, 'what'>): void => files.onProgress?.({ what: name, ...progress });
  if (!(await isSealed(folder, files.sha256))) {
    await withLock(
      folder,
      async () => {
        if (await isSealed(folder, files.sha256)) return;
        // A cache that was copied has other times and the same bytes: no reason to fetch.
        const intact = await check(folder, files.sha256).then(
          () => true,
          () => false,
        );
        if (!intact) await fill(folder, files, report);
      },
      {
        onWait: () => report({ phase: 'waiting', note: 'another process is fetching it' }),
        ...(files.signal && { signal: files.signal }),
      },
    );
  }
  report({ phase: 'ready' });
  return folder;
}

/** The folder `name` of the cache if it is there whole, without fetching anything. */
export async function findCached(
  name: string,
  { cacheDir, sha256 }: Pick<CachedFiles, 'cacheDir' | 'sha256'>,
): Promise<string | undefined> {
  const folder = join(cacheDir, name);
  return (await isSealed(folder, sha256)) ? folder : undefined;
}

async function fill(folder: string, files: CachedFiles, report: (progress: Omit<SetupProgress, 'what'>) => void): Promise<void> {
  await clearLeftovers(folder);
  const fresh = `${folder}.part-${randomUUID()}`;
  await mkdir(fresh, { recursive: true });
  try {
    report({ phase: 'fetching' });
    await files.fetch(fresh, report);
    report({ phase: 'checking' });
    await check(fresh, files.sha256);
    await rm(folder, { recursive: true, force: true }); // a folder whose seal no longer holds
    await rename(fresh, folder);
  } catch (cause) {
    if (files.signal?.aborted) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new EngraphError('config', `${basename(folder)} could not be fetched: ${reason}. Try again, or ${files.wayRound}`, {
      cause,
    });
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

/** Proves every file and seals the folder; rejects at the first that is missing or other than expected. */
async function check(folder: string, hashes: Readonly<Record<string, string>>): Promise<void> {
  const seal: Record<string, Seal[string]> = {};
  for (const [path, expected] of Object.entries(hashes)) {
    const found = await sha256Of(join(folder, path));
    if (found !== expected) throw new Error(`${path} has SHA-256 ${found} where ${expected} is expected`);
    const { size, mtimeMs } = await stat(join(folder, path));
    seal[path] = { size, mtimeMs };
  }
  await writeFile(join(folder, SEAL), JSON.stringify(seal));
}

async function isSealed(folder: string, hashes: Readonly<Record<string, string>>): Promise<boolean> {
  try {
    const seal = JSON.parse(await readFile(join(folder, SEAL), 'utf8')) as Seal;
    for (const path of Object.keys(hashes)) {
      const { size, mtimeMs } = await stat(join(folder, path));
      if (size !== seal[path]?.size || mtimeMs !== seal[path].mtimeMs) return false;
    }
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || error instanceof SyntaxError) return false;
    throw error;
  }
}

/** Removes what processes that were killed while fetching left behind; safe, since the lock is held. */
async function clearLeftovers(folder: string): Promise<void> {
  for (const entry of await readdir(dirname(folder))) {
    if (entry.startsWith(`${basename(folder)}.part-`)) await rm(join(dirname(folder), entry), { recursive: true, force: true });
  }
}
