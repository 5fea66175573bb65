import { readdir } from 'node:fs/promises';

import { Command } from 'commander';

import { EngraphError } from '../src/domain/failure.js';

/** What a bench is given: a data file, where it takes one, and whatever else stood on the command line. */
export interface BenchOptions {
  readonly data?: string;
  readonly args: string[];
}

/** What a bench measured. `figures` are plain numbers under the names that its page gives; `baselines` are of the same run. */
export interface BenchResult {
  readonly figures: Readonly<Record<string, number>>;
  readonly baselines: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly input?: { readonly file: string; readonly sha256: string };
  readonly notes: readonly string[];
  /** For people: what was measured beside what it is compared to. */
  readonly table: string;
}

/** A bench is a file of this folder; one with a hyphen in its name is a part of another (`recall-locomo.ts`). */
async function benches(): Promise<string[]> {
  const files = await readdir(new URL('.', import.meta.url));
  const names = files.filter((file) => file.endsWith('.ts')).map((file) => file.slice(0, -'.ts'.length));
  return names.filter((name) => name !== 'run' && !name.includes('-')).sort();
}

async function load(name: string): Promise<(options: BenchOptions) => Promise<BenchResult>> {
  const known = await benches();
  if (!known.includes(name))
    throw new EngraphError('validation', `there is no bench ${JSON.stringify(name)}; there are: ${known.join(', ')}`);
  const module = (await import(new URL(`${name}.ts`, import.meta.url).href)) as { run?: unknown };
  if (typeof module.run !== 'function') throw new EngraphError('validation', `bench/${name}.ts exports no function run`);
  return module.run as (options: BenchOptions) => Promise<BenchResult>;
}

/** A figure that is no number would be left out of JSON in silence or come as null. */
function checked(name: string, result: BenchResult): BenchResult {
  const series = { figures: result.figures, ...result.baselines };
  for (const [place, figures] of Object.entries(series)) {
    const odd = Object.entries(figures).find(([, value]) => !Number.isFinite(value));
    if (odd) throw new EngraphError('validation', `bench ${name}: ${place}.${odd[0]} is ${String(odd[1])}, not a number`);
  }
  return result;
}

const program = new Command('bench')
  .showHelpAfterError()
  .description('Measures one thing and prints it beside what it is compared to. It asserts nothing.')
  .argument('<name>', `one of: ${(await benches()).join(', ')}`)
  .argument('[args...]', 'what the bench itself takes')
  .option('--data <file>', 'the data file, for a bench that needs one')
  .option('--json', 'end with one line of JSON')
  .allowUnknownOption()
  .action(async (name: string, args: string[], { data, json }: { data?: string; json?: boolean }) => {
    const run = await load(name);
    const { figures, baselines, input, notes, table } = checked(name, await run({ args, ...(data !== undefined && { data }) }));
    console.log(table);
    for (const note of notes) console.log(`- ${note}`);
    if (json) console.log(JSON.stringify({ bench: name, figures, baselines, ...(input && { input }), notes }));
  });

try {
  await program.parseAsync();
} catch (error) {
  console.error(error instanceof EngraphError ? `${error.kind}: ${error.message}` : error);
  process.exitCode = 1;
}
