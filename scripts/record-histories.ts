import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';

import { stopEnvironment } from '../test/support/environment.js';
import { PATHS } from '../test/replay/paths.js';

/**
 * Records one history a path of each workflow into test/replay/histories, to be replayed on tomorrow's code. Run it by name
 * only, when a change is meant to leave running workflows behind: `npm run record:histories [PATH...]`.
 */
const asked = process.argv.slice(2);
const unknown = asked.find((name) => !(name in PATHS));
if (unknown !== undefined) {
  console.error(`there is no path ${JSON.stringify(unknown)}; there are: ${Object.keys(PATHS).join(', ')}`);
  process.exit(2);
}
for (const [name, walk] of Object.entries(PATHS)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  await walk(async ({ temporal }, workflowId) => {
    const history = JSON.parse(historyToJSON(await temporal.workflow.getHandle(workflowId).fetchHistory())) as unknown;
    const file = fileURLToPath(new URL(`../test/replay/histories/${name}.json`, import.meta.url));
    await writeFile(file, `${JSON.stringify({ workflowId, history }, null, 1)}\n`);
    console.log(`${name}: ${workflowId}`);
  });
}
await stopEnvironment();
