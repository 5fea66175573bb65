import { Command, InvalidArgumentError, Option } from 'commander';

import { loadConfig } from '../src/config.js';
import { reportTable, type DemoReport } from './report.js';
import { runDemo } from './run.js';
import { Teller } from './telling.js';

/** Seeds are 32-bit numbers. */
const LARGEST_SEED = 4_294_967_295;

interface Flags {
  readonly seed: number;
  readonly llm: string;
  readonly home?: string;
  readonly json?: boolean;
}

function seedOf(text: string): number {
  if (!/^\d{1,10}$/u.test(text) || Number(text) > LARGEST_SEED)
    throw new InvalidArgumentError(`It must be a whole number from 0 to ${LARGEST_SEED}.`);
  return Number(text);
}

async function main(): Promise<number> {
  const program = new Command('demo')
    .description(
      'learns real documents, runs tasks that repair their own memory, kills a worker on the way, and checks every promise',
    )
    .addOption(new Option('--seed <n>', 'draws the documents and the tasks').default(1).argParser(seedOf))
    .addOption(new Option('--llm <which>', 'the language model').choices(['auto', 'rules', 'local', 'openai']).default('auto'))
    .option('--home <dir>', 'where the memory and the Temporal dev server keep their files (default: ENGRAPH_HOME or .engraph)')
    .option('--json', 'print one JSON object on stdout; the story goes to stderr')
    .parse();
  const { seed, llm, home, json = false } = program.opts<Flags>();
  const settings = {
    ENGRAPH_LLM: llm,
    ENGRAPH_TASK_QUEUE: `engraph-demo-${process.pid}`,
    ...(home !== undefined && { ENGRAPH_HOME: home }),
  };
  const config = loadConfig(process.env, settings);
  const workerEnv = { ...process.env, ...settings, ENGRAPH_HOME: config.home };
  const teller = new Teller(json ? process.stderr : process.stdout);
  teller.line(`Engraph demo, seed ${seed}`);
  const report = await runDemo({ seed, config, workerEnv }, teller);
  tellEnd(report, teller, home);
  if (json) process.stdout.write(`${JSON.stringify(report)}\n`);
  return report.differences.length === 0 ? 0 : 1;
}

function tellEnd({ tasks, differences, model, space }: DemoReport, teller: Teller, home: string | undefined): void {
  for (const line of reportTable(tasks)) teller.line(line);
  teller.line();
  teller.point('Model', model);
  const flags = home === undefined ? '' : ` --home '${home}'`;
  const command = (rest: string): string => `npm run engraph -- ${rest}${flags}`;
  teller.point('Look', `${command('dev')}   starts the server, its UI and a worker again, and prints the UI's address`);
  teller.point(
    '',
    'There each task is a workflow: activity summaries tell its repairs, "current details" has the table of its rounds.',
  );
  teller.point('Go on', `${command(`search 'license of the package' --space ${space}`)}   in a second terminal`);
  teller.point('', command(`run 'Under which licence is Engraph published?' --space ${space}`));
  teller.line();
  if (differences.length === 0) teller.line('Everything went as promised.');
  else teller.line(['What differs from what was promised:', ...differences.map((one) => `- ${one}`)].join('\n'));
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`the demo can't go on: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
