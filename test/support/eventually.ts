import { setTimeout as wait } from 'node:timers/promises';

/** Tries until the check holds, at most `withinMs`; then fails with the check's own last failure. */
export async function eventually<T>(check: () => Promise<T> | T, withinMs = 15_000): Promise<T> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await wait(50);
    }
  }
}
