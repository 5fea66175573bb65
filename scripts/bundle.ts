import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

import { ENCODED_FAILURES } from '../src/data-converter.js';

const root = new URL('../', import.meta.url);

/** Where `npm run build` leaves the workflow bundles for a worker to load, each with the bundler's options that make it what it is. */
const BUNDLES = {
  'dist/workflow-bundle.js': {},
  'dist/workflow-bundle-encrypted.js': { failureConverterPath: ENCODED_FAILURES },
};

/**
 * The code of all workflows in one string, as the sandbox runs it. Throws, naming the module, when workflow code reaches for
 * Node or for a package that the sandbox has not.
 */
export async function bundleWorkflows(options: { readonly failureConverterPath?: string } = {}): Promise<string> {
  const workflowsPath = fileURLToPath(new URL('workflows/index.ts', root));
  const { code } = await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('WARN'), ...options });
  return code;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [path, options] of Object.entries(BUNDLES)) {
    const code = await bundleWorkflows(options);
    if (!process.argv.includes('--check')) {
      const file = fileURLToPath(new URL(path, root));
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, code);
    }
    console.log(`workflows bundled: ${Math.round(code.length / 1024)} KB for ${path}`);
  }
}
