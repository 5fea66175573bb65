import type { Config } from '../../src/config.js';
import { cached } from '../../src/setup/cache.js';
import { pipInstall } from '../../src/setup/pip.js';

/** What the examples in Python need, each set with a file by which it is known to be whole. */
const SETS = {
  temporalio: {
    packages: ['temporalio==1.35.0', 'nexus-rpc==1.4.0', 'protobuf==7.36.2', 'typing-extensions==4.16.0'],
    sha256: { 'temporalio/envconfig.py': 'ea98950c079e8a96d8e7b3b9b7606de18bfa3ab6fe7c42dc4a4a7f18fc230803' },
    name: 'python-temporalio-1.35.0',
  },
  cryptography: {
    packages: ['cryptography==50.0.2', 'cffi==2.1.1', 'pycparser==3.12'],
    sha256: {
      'cryptography/hazmat/primitives/ciphers/aead.py': '173972c7bc3c29841a9330e9d735a026722beb6ce066b815875bb68787b1079e',
    },
    name: 'python-cryptography-50.0.2',
  },
} as const;

/** Folders for PYTHONPATH with these packages, fetched once into the cache. */
export async function pythonPackages(config: Config, sets: readonly (keyof typeof SETS)[]): Promise<string[]> {
  return await Promise.all(
    sets.map(async (set) => {
      const { name, packages, sha256 } = SETS[set];
      return await cached(name, {
        cacheDir: config.cache,
        sha256,
        fetch: async (folder) => await pipInstall(packages, folder, { python: config.python }),
        wayRound: 'see that pip reaches its registry',
      });
    }),
  );
}
