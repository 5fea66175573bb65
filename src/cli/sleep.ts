import { InvalidArgumentError, Option, type Command } from 'commander';

import type { EngraphClient } from '../client.js';
import { checkSleep, SLEEP_PHASES, type SleepPhase, type SleepRequest } from '../domain/sleep.js';
import { checkSpace } from '../domain/space.js';
import type { Sleeping, Told } from '../sleeping.js';
import { listOf, spaceOption, wholeNumber } from './arguments.js';
import { EXIT } from './exit-codes.js';
import { followSleep } from './following-sleep.js';
import { withClient } from './memory.js';
import type { Act, AddCommand, Session } from './session.js';
import { addSleepRuns } from './sleep-runs.js';
import { durationInWords, sleepInWords } from './telling-sleep.js';

interface SleepFlags {
  readonly space: string;
  readonly every?: number;
  readonly phases?: readonly SleepPhase[];
  readonly dryRun?: boolean;
  readonly lanes?: number;
  readonly maxTokens?: number;
  readonly maxTime?: number;
  readonly gate: boolean;
  readonly wait: boolean;
}

/** `engraph sleep`: one sleep now, or with `--every` again and again; below it what steers the schedule and tells of past sleeps. */
export const addSleep: AddCommand = (program, act) => {
  const sleep = program
    .command('sleep')
    .description('hold fresh facts against older ones, and let experience ripen into skills: now, or by a schedule')
    .addOption(spaceOption())
    .addOption(
      new Option('--every <time>', 'sleep so often from now on, such as 24h or 30m; nothing is done now').argParser(duration),
    )
    .addOption(new Option('--phases <list>', `some of ${SLEEP_PHASES.join(',')} (default: all)`).argParser(listOf(SLEEP_PHASES)))
    .option('--dry-run', 'judge, but change nothing: prints the plan and the differences')
    .addOption(new Option('--lanes <n>', 'update queues that are worked on at once, 1 to 8 (default: 8)').argParser(wholeNumber))
    .addOption(new Option('--max-tokens <n>', 'begin nothing new once model calls have cost so many').argParser(wholeNumber))
    .addOption(new Option('--max-time <time>', 'begin nothing new after so long, such as 20m').argParser(duration))
    .option('--no-gate', 'do not compare recall before and after')
    .option('--no-wait', 'start it and return at once')
    .action(
      act<SleepFlags>(async (session, flags) => {
        const request = requestOf(flags);
        checkSleep(flags.space, request); // before anything is opened: what is wrong is told at once
        return await withClient(session, 'read', async (client) =>
          flags.every === undefined
            ? await sleepNow(session, client, flags, request)
            : await schedule(session, client, flags.space, flags.every, request),
        );
      }),
    );
  for (const add of DEEDS) add(sleep, act);
  addSleepRuns(sleep, act);
};

async function sleepNow(
  { output }: Session,
  client: EngraphClient,
  { space, wait }: SleepFlags,
  request: SleepRequest,
): Promise<number> {
  const handle = await client.sleeping(space).start(request);
  if (!wait) {
    output.result({ space, workflowId: handle.workflowId }, () => `${space} sleeps; \`engraph sleep status\` tells how it goes`);
    return EXIT.ok;
  }
  output.note(`${space} sleeps (Ctrl-C leaves it running)`);
  const result = await followSleep(handle, output);
  const differences = result.dryRun ? await client.sleeping(space).differences(result.runId) : undefined;
  output.result({ ...result, ...(differences !== undefined && { differences }) }, () => sleepInWords(result, differences));
  return result.end === 'halted' || result.reconcile?.undone === true ? EXIT.failed : EXIT.ok;
}

async function schedule(
  { output }: Session,
  client: EngraphClient,
  space: string,
  everyMs: number,
  request: SleepRequest,
): Promise<void> {
  await client.sleeping(space).schedule.set(everyMs, request);
  output.result({ space, everyMs, settings: request }, () => `${space} sleeps every ${durationInWords(everyMs)} from now on`);
}

/** One word each on a sleep that runs and on the schedule. */
const DEEDS: readonly ((sleep: Command, act: Act) => void)[] = [
  deed('status', 'the schedule, and how far a sleep that runs is', async ({ output }, sleeping, space) => {
    const [planned, progress] = [await sleeping.schedule.describe(), await sleeping.progress()];
    output.result({ space, schedule: planned ?? null, running: progress ?? null }, () =>
      [
        planned === undefined
          ? 'no schedule'
          : `every ${durationInWords(planned.everyMs)}${planned.paused ? ', paused' : `, next at ${planned.next ?? 'an unknown time'}`}`,
        ...(progress === undefined
          ? ['no sleep runs']
          : [`at work on ${progress.phases[0] ?? 'its end'}`, sleepInWords(progress)]),
      ].join('\n'),
    );
  }),
  deed(
    'pause',
    'the schedule begins no sleep, and one that runs begins no new queue, until resume',
    async (session, sleeping, space) => told(session, space, 'paused', await sleeping.pause()),
  ),
  deed('resume', 'ends the pause', async (session, sleeping, space) => told(session, space, 'resumed', await sleeping.resume())),
  deed('stop', 'ends a sleep that runs, once what is at work has ended; the schedule stays', async (session, sleeping, space) => {
    await sleeping.handle.stop();
    told(session, space, 'stopped', { schedule: false, running: true });
  }),
  deed('delete', 'deletes the schedule; a sleep that runs goes on', async (session, sleeping, space) => {
    await sleeping.schedule.delete();
    told(session, space, 'deleted', { schedule: true, running: false });
  }),
];

function deed(
  name: string,
  description: string,
  work: (session: Session, sleeping: Sleeping, space: string) => Promise<void>,
): (sleep: Command, act: Act) => void {
  return (sleep, act) =>
    sleep
      .command(name)
      .description(description)
      .action(
        act<{ space: string }>(async (session, { space }) => {
          checkSpace(space);
          await withClient(session, 'read', async (client) => await work(session, client.sleeping(space), space));
        }),
      );
}

function told({ output }: Session, space: string, done: string, what: Told): void {
  const parts = [...(what.schedule ? ['the schedule'] : []), ...(what.running ? ['the sleep that runs'] : [])];
  output.result({ space, [done]: what }, () => `${done}: ${parts.join(' and ')}`);
}

function requestOf({ phases, dryRun, lanes, maxTokens, maxTime, gate }: SleepFlags): SleepRequest {
  return {
    ...(phases !== undefined && { phases }),
    ...(dryRun !== undefined && { dryRun }),
    ...(maxTokens !== undefined && { maxTokens }),
    ...(maxTime !== undefined && { maxSeconds: Math.ceil(maxTime / 1_000) }),
    ...((lanes !== undefined || !gate) && { reconcile: { ...(lanes !== undefined && { lanes }), ...(!gate && { gate }) } }),
  };
}

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `90s`, `30m`, `24h`, `7d` in milliseconds. */
function duration(value: string): number {
  const [, count, unit] = /^(\d+)([smhd])$/u.exec(value) ?? [];
  const each = UNITS[unit ?? ''];
  if (count === undefined || each === undefined)
    throw new InvalidArgumentError('It must be a number with s, m, h or d, such as 24h.');
  return Number(count) * each;
}
