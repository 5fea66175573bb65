import { join } from 'node:path';

import type { Config } from '../config.js';
import { EngraphError } from '../domain/failure.js';
import { cached } from './cache.js';
import { pipInstall } from './pip.js';
import type { OnProgress } from './progress.js';

/** llama.cpp with its own OpenAI-compatible server as a Python module, nothing to compile (facts/models.md 3.2). */
const PACKAGE = 'xllamacpp==2026.10.11549';
/** The module's binary in each wheel of that package, and its SHA-256, by Node's names of the platform. */
const BINARIES: Readonly<Record<string, readonly [file: string, sha256: string]>> = {
  'linux-x64': ['xllamacpp.abi3.so', '78dcbbfcc861ee3377554325dc12864829a76ec3de6f1882886d4a82a2def7f5'],
  'linux-arm64': ['xllamacpp.abi3.so', 'd217f8da7094890dffa84ce3be7c88fa021e6e6e54f64f49d165df886ec62ed8'],
  'darwin-arm64': ['xllamacpp.abi3.so', '9e7a0d4d692fe590a7562109f90f57835fcd324c2b6ec0b5251a34860cbf80d4'],
  'darwin-x64': ['xllamacpp.abi3.so', '4d85a9cddd28e01c8c17fbd6783d2179cfb9fced0a0cc11b873fc9eb3384671d'],
  'win32-x64': ['xllamacpp.pyd', 'cc4afc141f137a4b10417a1ac182b03a391c325937bdf1956db4b8f2cd86859a'],
};

/** The folder to put on Python's path (34 MB, fetched once; Python 3.10 or newer). Fails with `config`. */
export async function ensureLlmEngine(config: Config, onProgress?: OnProgress, signal?: AbortSignal): Promise<string> {
  const platform = `${process.platform}-${process.arch}`;
  const binary = BINARIES[platform];
  const wayRound = 'use a server of your own by OPENAI_BASE_URL';
  if (!binary) throw new EngraphError('config', `${PACKAGE} has nothing for ${platform}: ${wayRound}`);
  return await cached(`xllamacpp-2026.10.11549-${platform}`, {
    cacheDir: config.cache,
    sha256: { [join('xllamacpp', binary[0])]: binary[1] },
    wayRound,
    fetch: async (folder, report) =>
      await pipInstall([PACKAGE], folder, { python: config.python, report, ...(signal && { signal }) }),
    ...(onProgress && { onProgress }),
    ...(signal && { signal }),
  });
}
