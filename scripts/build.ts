import { cp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { runCommand } from './run-command.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const tsc = join(root, 'node_modules/typescript/bin/tsc');

/** What `dist` needs of `src` beside compiled TypeScript: scripts of other languages, and what Temporal's SDK loads by its path. */
async function copyAssets(): Promise<void> {
  const files = await readdir(join(root, 'src'), { recursive: true });
  for (const file of files.filter((name) => name.endsWith('.py') || name === 'encoded-failures.mjs'))
    await cp(join(root, 'src', file), join(root, 'dist/src', file));
}

await rm(join(root, 'dist'), { recursive: true, force: true });
const compiled = await runCommand(process.execPath, [tsc, '-p', join(root, 'tsconfig.build.json')], { cwd: root });
if (compiled !== 0) process.exit(compiled);
await copyAssets();
process.exitCode = await runCommand(process.execPath, ['--import', 'tsx', join(root, 'scripts/bundle.ts')], { cwd: root });
