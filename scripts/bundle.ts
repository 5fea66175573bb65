import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

const root = new URL('../', import.meta.url);

/** Where `npm run build` leaves the workflow bundle for a worker to load. */
export const BUNDLE_PATH = fileURLToPath(new URL('dist/workflow-bundle.js', root));

/**
 * The code of all workflows in one string, as the sandbox runs it. Throws, naming the module, when workflow code reaches for
 * Node or for a package that the sandbox has not.
 */
export async function bundleWorkflows(): Promise<string> {
  const workflowsPath = fileURLToPath(new URL('workflows/index.ts', root));
  const { code } = await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('WARN') });
  return code;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const code = await bundleWorkflows();
  if (!process.argv.includes('--check')) {
    await mkdir(dirname(BUNDLE_PATH), { recursive: true });
    await writeFile(BUNDLE_PATH, code);
  }
  console.log(`workflows bundled: ${Math.round(code.length / 1024)} KB`);
}
