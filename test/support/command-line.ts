import { Writable } from 'node:stream';

import { runCommandLine } from '../../src/cli/program.js';

/** What a command line came to. */
export interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs one command line of `engraph` in this process, with these settings only. */
export async function engraph(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Said> {
  const [stdout, stderr] = [new Kept(), new Kept()];
  const code = await runCommandLine(args, { stdout, stderr }, { ...cacheOf(process.env), ...env });
  return { code, out: stdout.text, err: stderr.text };
}

/** What was fetched once is not to be fetched again for a test. */
function cacheOf({ HOME, XDG_CACHE_HOME, ENGRAPH_CACHE, ENGRAPH_MODEL_DIR }: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { HOME, XDG_CACHE_HOME, ENGRAPH_CACHE, ENGRAPH_MODEL_DIR };
}

class Kept extends Writable {
  text = '';

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}
