import { execFile } from 'node:child_process';
import { writeFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import type { Config } from '../../src/config.js';
import { EngraphError } from '../../src/domain/failure.js';
import { cached } from '../../src/setup/cache.js';
import { pipInstall } from '../../src/setup/pip.js';
import type { OnProgress } from '../../src/setup/progress.js';

/** TextWorldExpress (Apache-2.0) and its bridge to Java (BSD), by the SHA-256 of their wheels, which pip checks. */
const WHEELS = [
  'textworld-express==1.1.0 --hash=sha256:52a03527b8ac17f0ca007728a4e5c2f4462d58249d31b20b0899e27c19b2c28e',
  'py4j==0.10.9.9 --hash=sha256:c7c26e4158defb37b0bb124933163641a2ff6e3a3913f7811b0ddbe07ed61533',
];
/** Files that the cache checks again whenever they were touched. */
const SHA256 = {
  'textworld_express/textworld-express.jar': '23da9ab053dde2de003b4556a2734af3225dc3a0ef8af7354df53aafb5c77d99',
  'textworld_express/textworld_express.py': '0345f8113fab48828e1f924a2a3e2bfaecb506a640a26196bdfe76bb8584997b',
  'textworld_express/cooking_world.json': 'ecef2d85523c9801d00ddb35c77b8f56e0f9f4ef37c022e8431102c0b49522fd',
  'py4j/java_gateway.py': '120e5c00596838adac69aa7593b6b3f73fbab894d596bcb4ff9982521e15a789',
};
const OLDEST_JAVA = 8;
const GET_JAVA =
  'install a Java runtime (Debian: apt-get install default-jre-headless, macOS: brew install openjdk, Windows: winget install EclipseAdoptium.Temurin.21.JRE) and have `java` on the PATH';

/** The folder to put on Python's path (3 MB, fetched once), where there is a Java to run it. Fails with `config`. */
export async function ensureTextWorld(config: Config, onProgress?: OnProgress): Promise<string> {
  await requireJava();
  return await cached('textworld-express-1.1.0', {
    cacheDir: config.cache,
    sha256: SHA256,
    wayRound: 'do without the bench `learn`: nothing else needs it',
    fetch: async (folder, report) => {
      const list = join(folder, 'wheels.txt');
      await writeFile(list, WHEELS.join('\n'));
      await pipInstall(['--only-binary=:all:', '--require-hashes', '--requirement', list], folder, {
        python: config.python,
        report,
      });
      await rm(list);
    },
    ...(onProgress && { onProgress }),
  });
}

/** Fails with `config`, naming the way to get one, where there is no Java of version 8 or newer. */
export async function requireJava(command = 'java'): Promise<void> {
  const run = promisify(execFile);
  const { stderr, stdout } = await run(command, ['-version']).catch((cause: unknown) => {
    throw new EngraphError(
      'config',
      `the game needs Java ${OLDEST_JAVA} or newer, and \`${command} -version\` can't be run: ${GET_JAVA}`,
      {
        cause,
      },
    );
  });
  const version = javaVersion(`${stderr}${stdout}`);
  if (version < OLDEST_JAVA) {
    throw new EngraphError(
      'config',
      `the game needs Java ${OLDEST_JAVA} or newer, and \`${command}\` is Java ${version}: ${GET_JAVA}`,
    );
  }
}

/** The major version in what `java -version` says (`1.8.0_372` is 8); NaN, which fails no comparison, where it says none. */
export function javaVersion(said: string): number {
  const [, first = '', second = ''] = /version "(\d+)(?:\.(\d+))?/u.exec(said) ?? [];
  return Number(first === '1' ? second : first === '' ? Number.NaN : first);
}
