import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { runCommand } from './run-command.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const bin = (name: string): string => join(root, 'node_modules', name);

/** Commands that pass or fail as a whole, in lanes that run side by side: each says nothing until it fails. */
const CHECKS: readonly Readonly<Record<string, readonly string[]>>[] = [
  {
    'type check': [bin('typescript/bin/tsc'), '-p', '.'],
    'type check of workflows': [bin('typescript/bin/tsc'), '-p', 'workflows'],
    build: ['--import', 'tsx', 'scripts/build.ts'],
  },
  {
    lint: [bin('eslint/bin/eslint.js'), '.'],
    'compose file': [bin('dclint/bin/dclint.cjs'), '--max-warnings', '0', 'docker-compose.yml'],
    Dockerfile: ['--import', 'tsx', 'scripts/lint-dockerfile.ts'],
  },
];

/** Fetches what suites need. A suite that needs none of it doesn't fail by this, so each is still run. */
const SET_UP = ['--import', 'tsx', 'scripts/set-up.ts'];

/** Folders of `test` with a group of their own; every other test file is in the group `unit`, so none is left out. */
const FOLDERS = ['contract', 'workflows', 'replay', 'cases', 'system', 'demo'] as const;
const GROUPS: readonly string[] = ['checks', 'unit', ...FOLDERS];

/** Longer than any group takes on two busy cores; a group that hangs is stopped and counted as one failure. */
const GROUP_TIMEOUT_MS = 12 * 60_000;

/** What may not reach the tests from the shell: a key there would send their questions to a paid service. */
const PRIVATE = /^(OPENAI_|ENGRAPH_(?!CACHE$|MODEL_DIR$|PYTHON$))/;
const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !PRIVATE.test(name)));

interface Result {
  readonly group: string;
  readonly passed: number;
  readonly failed: number;
  readonly seconds: number;
}

async function filesOf(group: string): Promise<string[]> {
  const files = (await readdir(join(root, 'test'), { recursive: true })).filter((file) => file.endsWith('.test.ts')).sort();
  const folderOf = (file: string): string => file.split(/[/\\]/)[0] ?? '';
  const own = (file: string): boolean => (FOLDERS as readonly string[]).includes(folderOf(file));
  return files.filter((file) => (group === 'unit' ? !own(file) : folderOf(file) === group)).map((file) => join('test', file));
}

async function check(group: string, args: readonly string[]): Promise<Result> {
  const from = Date.now();
  const code = await runCommand(process.execPath, args, { cwd: root, env: environment, timeoutMs: GROUP_TIMEOUT_MS });
  return { group, passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, seconds: (Date.now() - from) / 1000 };
}

async function lane(checks: Readonly<Record<string, readonly string[]>>): Promise<Result[]> {
  const results: Result[] = [];
  for (const [name, args] of Object.entries(checks)) results.push(await check(name, args));
  return results;
}

/** A group that ran no test, skipped one, or ended otherwise than its report says, has failed. */
async function suite(group: string, folder: string): Promise<Result> {
  const from = Date.now();
  const output = join(folder, `${group}.json`);
  const reporter = ['--reporter', 'scripts/reporter.js', '--reporter-option', `output=${output}`];
  const files = await filesOf(group);
  const args = [bin('mocha/bin/mocha.js'), ...reporter, ...files];
  const code =
    files.length === 0
      ? 1
      : await runCommand(process.execPath, args, { cwd: root, env: environment, timeoutMs: GROUP_TIMEOUT_MS });
  const { passes, failures, pending } = await readStats(output, code);
  const failed = failures + pending;
  const silent = failed === 0 && (code !== 0 || passes === 0) ? 1 : 0;
  if (silent) console.error(`${group}: ${files.length === 0 ? 'no test files' : `${passes} tests passed, exit code ${code}`}`);
  if (pending) console.error(`${group}: ${pending} skipped, which counts as failed`);
  return { group, passed: passes, failed: failed + silent, seconds: (Date.now() - from) / 1000 };
}

async function readStats(file: string, code: number): Promise<{ passes: number; failures: number; pending: number }> {
  try {
    return (JSON.parse(await readFile(file, 'utf8')) as { stats: { passes: number; failures: number; pending: number } }).stats;
  } catch (error) {
    console.error(`no report was written (exit code ${code}): ${error instanceof Error ? error.message : String(error)}`);
    return { passes: 0, failures: 0, pending: 0 };
  }
}

async function run(groups: readonly string[]): Promise<Result[]> {
  const folder = await mkdtemp(join(tmpdir(), 'engraph-test-'));
  const results: Result[] = [];
  try {
    if (groups.some((group) => group !== 'checks')) results.push(await check('set-up', SET_UP));
    for (const group of groups) {
      console.log(`\n== ${group}`);
      if (group === 'checks') results.push(...(await Promise.all(CHECKS.map(lane))).flat());
      else results.push(await suite(group, folder));
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return results;
}

const asked = process.argv.slice(2);
const unknown = asked.filter((group) => !GROUPS.includes(group));
if (unknown.length > 0) {
  console.error(`unknown group ${unknown.join(', ')}; there are ${GROUPS.join(', ')}`);
  process.exit(2);
}
const results = await run(asked.length > 0 ? asked : GROUPS);
console.log();
for (const { group, passed, failed, seconds } of results) {
  console.log(
    `${failed ? 'FAILED' : 'ok    '}  ${group.padEnd(24)} ${String(passed).padStart(5)} passed ${String(failed).padStart(4)} failed ${seconds.toFixed(0).padStart(5)} s`,
  );
}
const sum = (pick: (result: Result) => number): number => results.reduce((total, result) => total + pick(result), 0);
const failed = sum((result) => result.failed);
console.log(`\n${sum((result) => result.passed)} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
