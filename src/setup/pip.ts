import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

import { EngraphError } from '../domain/failure.js';
import type { SetupProgress } from './progress.js';

export interface PipRun {
  /** The Python to run. */
  readonly python: string;
  readonly report?: (progress: Omit<SetupProgress, 'what'>) => void;
  readonly signal?: AbortSignal;
}

/** `--no-user`: a user's own pip settings may say otherwise, and then `--target` is refused. */
const QUIETLY = ['--no-deps', '--no-input', '--disable-pip-version-check'];

/** Unpacks exactly these packages (`name==version`), without their dependencies, into a folder. Fails with `config`. */
export async function pipInstall(requirements: readonly string[], folder: string, run: PipRun): Promise<void> {
  await pip(['install', ...QUIETLY, '--no-user', '--no-compile', '--target', folder, ...requirements], run);
}

/** Downloads the wheels of exactly these packages, not unpacked, into a folder. Fails with `config`. */
export async function pipDownload(requirements: readonly string[], folder: string, run: PipRun): Promise<void> {
  await pip(['download', ...QUIETLY, '--only-binary=:all:', '--dest', folder, ...requirements], run);
}

async function pip(args: readonly string[], { python, report, signal }: PipRun): Promise<void> {
  const child = spawn(python, ['-m', 'pip', ...args], { stdio: ['ignore', 'pipe', 'pipe'], ...(signal && { signal }) });
  const complaints: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (/^\s*(Downloading|Using cached|Installing|Saved)\b/.test(line)) report?.({ phase: 'fetching', note: line.trim() });
  });
  createInterface({ input: child.stderr }).on('line', (line) => {
    if (!line.startsWith('WARNING')) complaints.push(line.trim());
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  }).catch((cause: unknown) => {
    if (signal?.aborted) throw cause;
    throw new EngraphError('config', `${python} can't be run: install Python 3 with pip, or name one by ENGRAPH_PYTHON`, {
      cause,
    });
  });
  if (code !== 0) {
    const said = complaints
      .filter((line) => line !== '')
      .slice(-2)
      .join(' ');
    throw new EngraphError('config', `${python} -m pip ${args[0]} ended with ${code}: ${said}`);
  }
}
