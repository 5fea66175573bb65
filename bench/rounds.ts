import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { SqliteVectorStore } from '../src/adapters/sqlite.js';
import { memoryOver } from '../src/compose.js';
import { aChunk, remembering } from '../test/support/builders.js';
import { startEnvironment, stopEnvironment, withEngraph, type Stage } from '../test/support/environment.js';
import { ScriptedModel } from '../test/support/scripted-model.js';
import { WordEmbedder } from '../test/support/word-embedder.js';
import { emptyWork } from './rounds-empty.js';
import type { BenchOptions, BenchResult } from './run.js';

const REPAIRS = 5;
const SPACE = 'bench';

interface Measured {
  readonly ms: number;
  readonly events: number;
  /** History beside the texts of `execute`'s inputs and outcomes. */
  readonly bytes: number;
  readonly activities: number;
}

/**
 * What one refinement round costs over and above the first attempt: time, history events and bytes, with an instant agent,
 * model and embedder over the embedded store; against a workflow that runs as many empty activities one after the other on the
 * same workers. Each is the difference between a task of five repairs and one of none, in turn, and the median over the runs.
 */
export async function run({ args }: BenchOptions): Promise<BenchResult> {
  const runs = Number(args[0] ?? 15);
  const folder = await mkdtemp(join(tmpdir(), 'engraph-rounds-'));
  const memory = memoryOver(await SqliteVectorStore.open(join(folder, 'memory.db')), new WordEmbedder());
  const model = new ScriptedModel({
    attribution: () => ({ reason: 'r', fault: 'missing_knowledge', edits: [{ edit: 'expand' }] }),
  });
  const execute = () => ({ action: 'no', status: 'failed' as const, feedback: 'the answer about herons is still missing' });
  const rounds: Measured[] = [];
  const empty: number[] = [];
  await startEnvironment();
  await withEngraph({ execute, model, memory }, async (stage) => {
    await remembering(
      memory,
      SPACE,
      ...Array.from({ length: 60 }, (_, position) =>
        aChunk(`heron answer number ${position}`, { document: `d${position}.md`, position }),
      ),
    );
    await using(stage, async (emptyMs) => {
      await measure(stage, 'warm-up', REPAIRS);
      await emptyMs(3);
      for (let at = 0; at < runs; at++) {
        const [none, five] = [await measure(stage, `none ${at}`, 0), await measure(stage, `five ${at}`, REPAIRS)];
        const round = perRepair(none, five);
        rounds.push(round);
        const activities = Math.round(round.activities * REPAIRS);
        empty.push(((await emptyMs(activities + 1)) - (await emptyMs(1))) / REPAIRS);
      }
    });
  });
  await stopEnvironment();
  await memory.close();
  await rm(folder, { recursive: true, force: true });

  const roundMs = median(rounds.map(({ ms }) => ms));
  const emptyMs = median(empty);
  const activities = median(rounds.map((round) => round.activities));
  const figures = {
    timeRatio: roundMs / emptyMs,
    bytesPerRound: median(rounds.map(({ bytes }) => bytes)),
    eventsPerRound: median(rounds.map(({ events }) => events)),
  };
  return {
    figures,
    baselines: { emptyActivities: { msPerRound: emptyMs, activitiesPerRound: activities }, engraph: { msPerRound: roundMs } },
    notes: [
      `${runs} runs in turn, medians; a round is attribute, repair, execute: ${activities} activities`,
      "bytes are of the server's history, without the payloads of execute",
    ],
    table: [
      `a refinement round: ${roundMs.toFixed(1)} ms; ${activities} empty activities: ${emptyMs.toFixed(1)} ms; ratio ${figures.timeRatio.toFixed(2)}`,
      `history a round: ${figures.eventsPerRound} events, ${Math.round(figures.bytesPerRound)} bytes beside execute's own input and outcome`,
    ].join('\n'),
  };
}

/** Runs the body beside a worker that serves the empty workflow and its empty activity. */
async function using(stage: Stage, body: (emptyMs: (activities: number) => Promise<number>) => Promise<void>): Promise<void> {
  const { worker, queue } = await emptyWork(stage);
  const running = worker.run();
  try {
    let at = 0;
    await body(async (activities) => {
      const start = performance.now();
      await stage.temporal.workflow.execute('emptyWorkflow', {
        workflowId: `empty-${queue}-${at++}`,
        taskQueue: queue,
        args: [activities],
      });
      return performance.now() - start;
    });
  } finally {
    worker.shutdown();
    await running;
  }
}

async function measure({ client, temporal, agent }: Stage, taskId: string, repairs: number): Promise<Measured> {
  const start = performance.now();
  const handle = await client.startTask({
    space: SPACE,
    taskId,
    instruction: 'what about the heron?',
    agent,
    limits: { maxRefinementRounds: repairs },
  });
  const result = await handle.result();
  const ms = performance.now() - start;
  if (result.executions !== repairs + 1) throw new Error(`${taskId} ran ${result.executions} times instead of ${repairs + 1}`);
  const workflow = temporal.workflow.getHandle(handle.workflowId);
  const { raw } = await workflow.describe();
  const { events } = await workflow.fetchHistory();
  let activities = 0;
  let own = 0;
  const executes = new Set<string>();
  for (const event of events ?? []) {
    const scheduled = event.activityTaskScheduledEventAttributes;
    const completed = event.activityTaskCompletedEventAttributes;
    if (scheduled) activities += 1;
    if (scheduled?.activityType?.name === 'execute') {
      executes.add(String(event.eventId));
      own += sizeOf(scheduled.input?.payloads);
    }
    if (completed && executes.has(String(completed.scheduledEventId))) own += sizeOf(completed.result?.payloads);
  }
  const bytes = Number(raw.workflowExecutionInfo?.historySizeBytes ?? 0) - own;
  return { ms, events: events?.length ?? 0, bytes, activities };
}

const sizeOf = (payloads: readonly { data?: Uint8Array | null }[] | null | undefined): number =>
  (payloads ?? []).reduce((sum, { data }) => sum + (data?.byteLength ?? 0), 0);

const perRepair = (none: Measured, five: Measured): Measured => ({
  ms: (five.ms - none.ms) / REPAIRS,
  events: (five.events - none.events) / REPAIRS,
  bytes: (five.bytes - none.bytes) / REPAIRS,
  activities: (five.activities - none.activities) / REPAIRS,
});

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
