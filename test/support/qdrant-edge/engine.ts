import { join } from 'node:path';

import { loadConfig } from '../../../src/config.js';
import { EngraphError } from '../../../src/domain/failure.js';
import { cached } from '../../../src/setup/cache.js';
import { pipInstall } from '../../../src/setup/pip.js';

/** Qdrant's own engine as a Python module, by Qdrant; nothing to compile. */
const PACKAGE = 'qdrant-edge-py==0.9.0';
/** The module's binary in each wheel of that package, and its SHA-256, by Node's names of the platform. */
const BINARIES: Readonly<Record<string, readonly [file: string, sha256: string]>> = {
  'linux-x64': ['qdrant_edge.abi3.so', 'b7eb38ee3c74631b88a87fa7fcd09f1dcfc5f781b6e2f347e7f8c112e769d047'],
  'linux-arm64': ['qdrant_edge.abi3.so', 'c79f313e7d74337323314b2fb8ab9917138ad47182a32a3739d506cff259c3dc'],
  'darwin-arm64': ['qdrant_edge.abi3.so', '5078629c205bf509a0a5cd4aadeea8455a63e7f8d197c2e89093f2844dc388b2'],
  'darwin-x64': ['qdrant_edge.abi3.so', 'd04c57fdca794d707e6c6416a3e37ed7d2656cf660c909762f1c807ddbf5f531'],
  'win32-x64': ['qdrant_edge.pyd', '58f9c385c9941bf8d574b7d1e235eb91010c75267856c43895d974d2744bb9b5'],
};

/** The Python that runs the engine, and the folder to put on its path (39 MB, fetched once; Python 3.10 or newer). Fails with `config`. */
export async function qdrantEngine(): Promise<{ readonly python: string; readonly folder: string }> {
  // Where the tests run against a server, its settings are no matter of the engine's.
  const { QDRANT_URL: _url, QDRANT_API_KEY: _key, ...env } = process.env;
  const { cache, python } = loadConfig(env);
  const platform = `${process.platform}-${process.arch}`;
  const binary = BINARIES[platform];
  const wayRound = 'name a Qdrant server for the tests by QDRANT_URL';
  if (!binary) throw new EngraphError('config', `${PACKAGE} has nothing for ${platform}: ${wayRound}`);
  const folder = await cached(`qdrant-edge-0.9.0-${platform}`, {
    cacheDir: cache,
    sha256: { [join('qdrant_edge', binary[0])]: binary[1] },
    wayRound,
    fetch: async (fresh, report) => await pipInstall([PACKAGE], fresh, { python, report }),
  });
  return { python, folder };
}
