import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import lockfile from 'proper-lockfile';

/** A holder that was killed leaves its lock behind; it counts as free after this many milliseconds without a sign of life. */
const STALE_MS = 10_000;
/** How often a waiting process looks, in milliseconds. */
const LOOK_MS = 200;

export interface LockOptions {
  /** Called once when another process holds the lock. */
  readonly onWait?: () => void;
  readonly signal?: AbortSignal;
}

/**
 * Runs the work while no other process on this machine runs work under the same path. Waits for as long as the holder lives.
 * The work is told (`held()` false) if the lock was lost, which takes a process stopped for longer than the stale time.
 */
export async function withLock<T>(
  path: string,
  work: (held: () => boolean) => Promise<T>,
  { onWait, signal }: LockOptions = {},
): Promise<T> {
  await mkdir(dirname(path), { recursive: true });
  let lost = false;
  const release = await acquire(path, () => (lost = true), onWait, signal);
  try {
    return await work(() => !lost);
  } finally {
    if (!lost) await release();
  }
}

async function acquire(
  path: string,
  onLost: () => void,
  onWait?: () => void,
  signal?: AbortSignal,
): Promise<() => Promise<void>> {
  for (let told = false; ; told = true) {
    signal?.throwIfAborted();
    try {
      return await lockfile.lock(path, { realpath: false, stale: STALE_MS, onCompromised: onLost });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ELOCKED') throw error;
      if (!told) onWait?.();
      await wait(LOOK_MS, undefined, { ...(signal && { signal }) });
    }
  }
}
