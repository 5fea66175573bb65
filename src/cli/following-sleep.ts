import { setTimeout as wait } from 'node:timers/promises';

import type { SleepResult } from '../domain/sleep-result.js';
import type { SleepHandle } from '../sleep-handle.js';
import type { Output } from './output.js';

/** Between two looks at a running sleep, in milliseconds. */
const LOOK_MS = 1_000;

/** Waits for a sleep's end and tells on stderr how far it is whenever that changes. */
export async function followSleep(handle: SleepHandle, output: Output): Promise<SleepResult> {
  const ended = new AbortController();
  const result = handle.result().finally(() => ended.abort());
  const looks = look(handle, output, ended.signal);
  try {
    return await result;
  } finally {
    await looks;
  }
}

/** That nobody answers is told once, not the end of waiting: the sleep goes on. */
async function look(handle: SleepHandle, output: Output, ended: AbortSignal): Promise<void> {
  const end = new Promise((resolve) => ended.addEventListener('abort', resolve, { once: true }));
  let told = '';
  while (!ended.aborted) {
    await Promise.race([wait(LOOK_MS), end]);
    if (ended.aborted) return;
    const line = await now(handle);
    if (line !== told) output.note(line);
    told = line;
  }
}

async function now(handle: SleepHandle): Promise<string> {
  try {
    const { phases, paused, waiting, lanes, reconcile, spent } = await handle.progress();
    const [phase] = phases;
    const queues = reconcile === undefined ? '' : `, ${waiting} of ${reconcile.queues} queues wait, ${lanes} lanes`;
    return `${phase ?? 'ending'}${paused ? ' (paused)' : ''}${queues}, ${spent.calls} model calls`;
  } catch (error) {
    return `no news of the sleep (${error instanceof Error ? error.message : String(error)}); still waiting for its end`;
  }
}
