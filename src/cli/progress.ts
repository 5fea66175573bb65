import cliProgress from 'cli-progress';

import type { OnProgress, SetupProgress } from '../setup/progress.js';
import type { Output } from './output.js';

/** A bar that counts to a known end. */
export interface Bar {
  /** So much is done; `now` names what is at hand. */
  update(done: number, now: string): void;
  stop(): void;
}

/** A bar on stderr where that is a terminal; elsewhere nothing, since a log wants lines and the result has the numbers. */
export function startBar({ streams, json }: Output, total: number, noun: string): Bar {
  if (json || streams.stderr.isTTY !== true) return { update: () => {}, stop: () => {} };
  const bar = new cliProgress.SingleBar({
    format: `{bar} {value}/{total} ${noun} · {now}`,
    stream: streams.stderr,
    hideCursor: true,
    clearOnComplete: true,
    barsize: 24,
  });
  bar.start(total, 0, { now: '' });
  return { update: (done, now) => bar.update(done, { now }), stop: () => bar.stop() };
}

/** Tells what a set-up does: a bar for a fetch whose size is known, a line for each new phase otherwise; silent where all is there. */
export function showProgress(output: Output): OnProgress {
  let bar: Bar | undefined;
  let told = '';
  return (progress) => {
    const { what, phase, note, doneBytes, totalBytes } = progress;
    if (phase === 'fetching' && doneBytes !== undefined && totalBytes !== undefined) {
      bar ??= startBar(output, Math.ceil(totalBytes / MB), `MB of ${what}`);
      bar.update(Math.floor(doneBytes / MB), note ?? '');
    } else {
      bar?.stop();
      bar = undefined;
    }
    const line = `${what}: ${WORDS[phase]}${phase === 'waiting' && note ? ` (${note})` : ''}`;
    const wasThere = phase === 'ready' && !told.startsWith(`${what}: `);
    if (line !== told && !wasThere) output.note(line);
    told = wasThere ? '' : line;
  };
}

const MB = 1_000_000;

const WORDS: Readonly<Record<SetupProgress['phase'], string>> = {
  waiting: 'another process is at it, waiting',
  fetching: 'fetching',
  checking: 'checking',
  starting: 'starting',
  ready: 'ready',
};
