import { readFileSync } from 'node:fs';

import { Command, CommanderError, Option } from 'commander';

import { EngraphError } from '../domain/failure.js';
import { addCancel } from './cancel.js';
import { addChat } from './chat.js';
import { addCodecServer } from './codec-server.js';
import { addConversation } from './conversation.js';
import { addCopy } from './copy.js';
import { addDev } from './dev.js';
import { addDoctor } from './doctor.js';
import { EXIT, exitCodeOf } from './exit-codes.js';
import { addExport } from './export.js';
import { addHealth } from './health.js';
import { addJudge } from './judge.js';
import { addKey } from './key.js';
import { addLearn } from './learn.js';
import { Output, type Streams } from './output.js';
import { addReceipt } from './receipt.js';
import { addRemember } from './remember.js';
import { addRounds } from './rounds.js';
import { addRun } from './run.js';
import { addSearch } from './search.js';
import { actions, type AddCommand } from './session.js';
import { addSetup } from './setup.js';
import { addSkills } from './skills.js';
import { addSleep } from './sleep.js';
import { addShow } from './show.js';
import { addSpaces } from './spaces.js';
import { addUpdate } from './update.js';
import { addWorker } from './worker.js';

const COMMANDS: readonly AddCommand[] = [
  ...[addDev, addLearn, addRun, addRounds, addReceipt, addJudge, addCancel],
  ...[addRemember, addChat, addConversation, addSleep, addSkills],
  ...[addSearch, addShow, addUpdate, addExport, addSpaces, addWorker, addSetup, addDoctor],
  ...[addCopy, addKey, addCodecServer, addHealth],
];

const EXIT_CODES = `
Exit codes: ${EXIT.ok} ok, ${EXIT.failed} the task failed or a check was not passed, ${EXIT.usage} wrong usage or configuration,
${EXIT.unavailable} Temporal, the store or a model is unavailable, ${EXIT.interrupted} Ctrl-C.
Settings come from the environment (ENGRAPH_*, OPENAI_*, TEMPORAL_*); a flag goes before its variable.`;

/** Runs one command line, without `node` and the script's name, to its exit code; settings from `env`, by default the process's. Never throws. */
export async function runCommandLine(args: readonly string[], streams: Streams, env?: NodeJS.ProcessEnv): Promise<number> {
  let exitCode: number = EXIT.ok;
  const json = args.includes('--json');
  const output = new Output(json, streams);
  const program = new Command('engraph')
    .description('Durable memory for AI agents: a graph that repairs itself when a task fails, and survives a kill at any point.')
    .version(packageVersion())
    .addHelpText('after', EXIT_CODES)
    .addOption(new Option('--llm <which>', 'the language model').choices(['auto', 'openai', 'local', 'rules']))
    .option('--home <folder>', 'state of this installation: store, dev server, logs (ENGRAPH_HOME, default .engraph)')
    .option('--store <file>', 'the SQLite file of the memory (ENGRAPH_STORE, default memory.db in the home folder)')
    .option('--json', 'results as JSON on stdout, one object a line; notes go to stderr')
    .option('--debug', 'show where a failure comes from')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => void streams.stdout.write(text),
      writeErr: (text) => void streams.stderr.write(text),
      // What commander refuses is told below, in the form of every other failure.
      outputError: () => {},
    })
    .exitOverride();
  const act = actions(streams, env, (code) => (exitCode = code));
  for (const add of COMMANDS) add(program, act);
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.ok;
    if (error instanceof CommanderError && error.code === 'commander.help') return EXIT.usage; // no command: help went to stderr
    const failure = error instanceof CommanderError ? usageFailure(error) : await told(error);
    output.failure(failure, { debug: args.includes('--debug') });
    return exitCodeOf(failure);
  }
}

/** A failure that has no kind yet may be Temporal's, whose packages are loaded for that only. */
async function told(error: unknown): Promise<unknown> {
  if (error instanceof EngraphError) return error;
  const { toldFailure } = await import('./failures.js');
  return toldFailure(error);
}

/** What commander refuses, as a failure of ours: the same form and the same exit code as any other wrong value. */
function usageFailure({ message }: CommanderError): EngraphError {
  return new EngraphError(
    'validation',
    `${message.replace(/^error: /, '').replace(/\s*\n\s*/g, ' ')} (--help tells what there is)`,
  );
}

/** The version in package.json, wherever this file was built to. */
function packageVersion(): string {
  const [own, built] = ['../../package.json', '../../../package.json'].map((path) => new URL(path, import.meta.url));
  const file = import.meta.url.endsWith('.ts') ? own : built;
  return (JSON.parse(readFileSync(file as URL, 'utf8')) as { version: string }).version;
}
