import { loadConfig } from '../src/config.js';
import { ensureMiniLm } from '../src/setup/minilm.js';
import type { SetupProgress } from '../src/setup/progress.js';
import { findTemporalCli } from '../src/setup/temporal-cli.js';

/** One line a phase, since the output may be a log. */
function tell({ what, phase, note }: SetupProgress): void {
  const line = `${what}: ${phase}${phase === 'waiting' && note ? ` (${note})` : ''}`;
  if (line !== told) console.log(line);
  told = line;
}
let told = '';

/** Fetches what the tests need into the cache beforehand, so that no test's time-out has to allow for a download. */
const config = loadConfig();
if (config.temporal.kind === 'dev') await findTemporalCli(config, tell);
if (config.embedder.kind === 'minilm') await ensureMiniLm(config, tell);
console.log('what the tests need is there');
