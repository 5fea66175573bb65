/** The work's result, or the signal's reason as soon as it aborts. The work itself goes on: its owner stops it. */
export async function abortable<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await work;
  signal.throwIfAborted();
  let stop = (): void => {};
  const aborted = new Promise<never>((_, failed) => {
    stop = () => failed(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
