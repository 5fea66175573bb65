import { SingleBar } from 'cli-progress';

import { loadConfig } from '../src/config.js';
import { EngraphError } from '../src/domain/failure.js';
import { ensureLlmEngine } from '../src/setup/local-llm-engine.js';
import { fetchLocalLlm } from '../src/setup/local-llm-weights.js';
import type { SetupProgress } from '../src/setup/progress.js';

/** One bar for the big fetch, a line for everything else. */
const bar = new SingleBar({ format: '{bar} {percentage}% | {megabytes} of 1117 MB | {note}', clearOnComplete: false });

function show({ what, phase, note, doneBytes, totalBytes }: SetupProgress): void {
  if (doneBytes !== undefined && totalBytes !== undefined) {
    const shown = { megabytes: Math.round(doneBytes / 1e6), note: note ?? '' };
    if (!bar.isActive) bar.start(totalBytes, 0, shown);
    bar.update(doneBytes, shown);
    return;
  }
  bar.stop();
  console.log([what, phase, note].filter((part) => part !== undefined).join(' · '));
}

try {
  const config = loadConfig();
  await ensureLlmEngine(config, show);
  const file = await fetchLocalLlm(config, show);
  console.log(`The local model is in ${file}. Use it by --llm local or ENGRAPH_LLM=local.`);
} catch (error) {
  bar.stop();
  if (!(error instanceof EngraphError)) throw error;
  console.error(`${error.kind}: ${error.message}`);
  process.exitCode = 1;
}
