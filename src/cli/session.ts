import type { Command } from 'commander';

import { loadConfig, type Config } from '../config.js';
import { EXIT } from './exit-codes.js';
import { Output, type Streams } from './output.js';

/** Flags that every command has. */
export interface GlobalOptions {
  readonly json?: boolean;
  readonly debug?: boolean;
  readonly llm?: string;
  readonly home?: string;
  readonly store?: string;
}

/** What a command works with. */
export interface Session {
  readonly config: Config;
  readonly output: Output;
}

/** A command's work: its arguments and options as commander read them, to an exit code (0 where none is given). */
export type Work<Options> = (session: Session, options: Options, ...args: string[]) => Promise<number | void>;

/** Registers one command on the program. */
export type AddCommand = (program: Command, act: Act) => void;

/** Makes commander's action of a command's work. `ownSignals`: the command sees to Ctrl-C itself. */
export type Act = <Options>(work: Work<Options>, how?: { ownSignals?: boolean }) => (...given: unknown[]) => Promise<void>;

/** Actions that read the configuration, run the work, and report its exit code. */
export function actions(streams: Streams, env: NodeJS.ProcessEnv | undefined, report: (exitCode: number) => void): Act {
  return (work, { ownSignals = false } = {}) =>
    async (...given) => {
      const command = given.at(-1) as Command;
      const options = command.optsWithGlobals<GlobalOptions>();
      const output = new Output(options.json ?? false, streams);
      const release = ownSignals ? () => {} : exitOnInterrupt();
      try {
        const config = loadConfig(env, { ENGRAPH_LLM: options.llm, ENGRAPH_HOME: options.home, ENGRAPH_STORE: options.store });
        report((await work({ config, output }, options as never, ...(command.processedArgs as string[]))) ?? EXIT.ok);
      } finally {
        release();
      }
    };
}

/** Ctrl-C ends a command that only asks: nothing of it is lost, since what it started goes on in workflows. */
function exitOnInterrupt(): () => void {
  const exit = (): void => process.exit(EXIT.interrupted);
  process.once('SIGINT', exit);
  return () => process.off('SIGINT', exit);
}
