import { DefaultLogger, Runtime } from '@temporalio/worker';

import type { RunningWorker } from '../worker.js';
import { EXIT } from './exit-codes.js';
import type { Output } from './output.js';

/** Said of each of our workers, since each serves either workflows or activities. */
const ONE_KIND = /^No (activities|workflows) registered/;

/** The core's own signal handling is off, since ours ends in order; its log goes to stderr, warnings and worse. */
export function installRuntime({ streams }: Output): void {
  const logger = new DefaultLogger('WARN', ({ level, message, meta }) => {
    if (ONE_KIND.test(message)) return;
    const about = meta?.['error'] instanceof Error ? `: ${meta['error'].message}` : '';
    streams.stderr.write(`temporal ${level.toLowerCase()}: ${message}${about}\n`);
  });
  Runtime.install({ logger, shutdownSignals: [] });
}

/** Signals that ask for a stop, with the exit code that a shell expects. SIGTERM is how a service is asked to stop in order. */
const SIGNALS = { SIGINT: EXIT.interrupted, SIGTERM: EXIT.ok } as const;
type StopSignal = keyof typeof SIGNALS;

/**
 * Waits until the worker ends or is asked to stop: then it takes no more work and lets what runs end. A second signal ends the
 * process at once; nothing is lost by that, since what ran is run again elsewhere.
 */
export async function untilStopped(worker: RunningWorker, output: Output): Promise<number> {
  let asked: StopSignal | undefined;
  const stopped = new Promise<void>((resolve, reject) => {
    const onSignal = (signal: StopSignal): void => {
      if (asked !== undefined) process.exit(signal === 'SIGTERM' ? 143 : EXIT.interrupted);
      asked = signal;
      output.note('stopping: what runs may end (again to stop at once)');
      worker.stop().then(resolve, reject);
    };
    for (const signal of Object.keys(SIGNALS) as StopSignal[]) process.on(signal, () => onSignal(signal));
  });
  await Promise.race([worker.done, stopped]);
  await stoppedInOrder(asked, stopped);
  return asked === undefined ? EXIT.ok : SIGNALS[asked];
}

/** `done` and `stopped` settle together; a failure of the stop must not get lost. */
async function stoppedInOrder(asked: StopSignal | undefined, stopped: Promise<void>): Promise<void> {
  if (asked !== undefined) await stopped;
}
