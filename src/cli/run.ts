import { Option } from 'commander';

import type { EngraphClient } from '../client.js';
import { checkTask, RETRIEVAL_MODES, type JudgeRef, type RetrievalMode, type TaskRequest } from '../domain/task.js';
import { agentRef, spaceOption, wholeNumber } from './arguments.js';
import { EXIT } from './exit-codes.js';
import { followTask } from './following.js';
import { withClient } from './memory.js';
import type { AddCommand, Session } from './session.js';
import { resultInWords } from './telling-rounds.js';

interface RunFlags {
  readonly space: string;
  readonly taskId?: string;
  readonly observation?: string;
  readonly judge?: 'agent' | 'model' | 'human';
  readonly rounds?: number;
  readonly mode?: RetrievalMode;
  readonly agent?: { taskQueue: string; activity: string };
  readonly mcp?: string;
  readonly wait: boolean;
}

/** `engraph run INSTRUCTION`: runs a task, tells its rounds as they come, then its answer. */
export const addRun: AddCommand = (program, act) => {
  program
    .command('run')
    .description('run a task: rounds as they come, then the answer; exit code 1 if it did not succeed')
    .argument('<instruction>', 'what is to be done')
    .addOption(spaceOption())
    .option('--task-id <id>', 'the same id again finds the same task (default: made from the time)')
    .option('--observation <text>', 'what the agent sees at first')
    .addOption(new Option('--judge <who>', 'who says whether it succeeded (default: agent)').choices(['agent', 'model', 'human']))
    .addOption(new Option('--rounds <n>', 'repairs of a step at most (default: 5)').argParser(wholeNumber))
    .addOption(new Option('--mode <mode>', 'how memory is searched (default: hybrid)').choices(RETRIEVAL_MODES))
    .addOption(
      new Option('--agent <queue/activity>', 'an agent of your own (default: the built-in chat agent)').argParser(agentRef),
    )
    .addOption(new Option('--mcp <name>', 'an MCP server of the worker’s whose tools the chat agent may call').conflicts('agent'))
    .option('--no-wait', 'start it and return at once')
    .action(
      act<RunFlags>(async (session, flags, instruction) => {
        const request = requestOf(flags, instruction as string);
        checkTask(request); // before anything is opened: what is wrong is told at once
        return await withClient(session, 'read', async (client) => await run(session, client, request, flags.wait));
      }),
    );
};

async function run({ output }: Session, client: EngraphClient, request: TaskRequest, wait: boolean): Promise<number> {
  const handle = await client.startTask(request);
  if (!wait) {
    output.result(
      { taskId: handle.taskId, workflowId: handle.workflowId },
      () => `task ${handle.taskId} is started; \`engraph rounds ${handle.taskId}\` tells how it goes`,
    );
    return EXIT.ok;
  }
  output.note(`task ${handle.taskId} (Ctrl-C leaves it running)`);
  const result = await followTask(handle, output);
  output.result({ result }, () => resultInWords(result));
  return result.outcome === 'succeeded' ? EXIT.ok : EXIT.failed;
}

function requestOf({ space, taskId, observation, judge, rounds, mode, agent, mcp }: RunFlags, instruction: string): TaskRequest {
  return {
    ...{ space, instruction, taskId: taskId ?? taskIdNow() },
    ...(observation !== undefined && { observation }),
    ...(judge !== undefined && { judge: { by: judge } satisfies JudgeRef }),
    ...(rounds !== undefined && { limits: { maxRefinementRounds: rounds } }),
    ...(mode !== undefined && { retrieval: { mode } }),
    ...(agent !== undefined && { agent }),
    ...(mcp !== undefined && { agent: { chat: { mcp } } }),
  };
}

/** An id for a task that nobody named: the time, and the process, since two may be started in one millisecond. */
const taskIdNow = (): string => `${new Date().toISOString().replace(/[-:]/g, '').replace('Z', '')}-${process.pid}`;
