import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { cached } from '../../src/setup/cache.js';
import { sha256 } from '../../src/setup/sha256.js';
import { eventually } from '../support/eventually.js';

/** A process of its own that asks the cache for one file. Usage: fill-cache CACHE_DIR NEEDS HASH; prints one line a progress. */
const [cacheDir = '', needs = '', hash = ''] = process.argv.slice(2);
const journal = join(cacheDir, '..', 'journal');

const folder = await cached('thing-1', {
  cacheDir,
  sha256: { file: hash },
  wayRound: 'set THING',
  onProgress: ({ phase }) => console.log(phase),
  fetch: async (fresh) => {
    await appendFile(journal, `fetch by ${process.pid}\n`);
    await writeFile(join(fresh, 'file'), 'hal');
    // Holds the lock until the test lets go, so that the other process certainly meets it.
    await eventually(() => sha256(needs));
    await appendFile(join(fresh, 'file'), 'lo');
  },
});
console.log(folder);
