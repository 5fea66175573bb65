import { WorkflowExecutionAlreadyStartedError, type Client } from '@temporalio/client';

import type { Undone } from '../activities/contract-sleep.js';
import { EngraphError } from './domain/failure.js';
import { checkSleep, type SleepRequest } from './domain/sleep.js';
import type { SleepProgress, SleepResult } from './domain/sleep-result.js';
import { checkSpace, keyOf } from './domain/space.js';
import type { VectorStore } from './ports/vector-store.js';
import { differencesOf, type Difference } from './sleep-differences.js';
import { SleepHandle } from './sleep-handle.js';
import { SleepSchedule } from './sleep-schedule.js';
import { SleepRuns, type SleepRun } from './store/sleep-runs.js';
import { failureOf, reaching } from './workflow-failures.js';

/** Which of the two a word was said to: the schedule, the sleep that runs, or both. */
export interface Told {
  readonly schedule: boolean;
  readonly running: boolean;
}

/** The sleep of one space: at most one at a time, by request or by schedule, and what past ones came to. */
export class Sleeping {
  readonly schedule: SleepSchedule;
  readonly #temporal: Client;
  readonly #store: VectorStore;
  readonly #taskQueue: string;
  readonly #space: string;

  constructor(temporal: Client, { store, taskQueue, space }: { store: VectorStore; taskQueue: string; space: string }) {
    this.#temporal = temporal;
    this.#store = store;
    this.#taskQueue = taskQueue;
    this.#space = checkSpace(space);
    this.schedule = new SleepSchedule(temporal, { taskQueue, space });
  }

  /**
   * Starts a sleep (design.md 3.3), or finds the one that runs. Invalid settings fail here, before anything is started.
   */
  async start(request: SleepRequest = {}): Promise<SleepHandle> {
    checkSleep(this.#space, request);
    try {
      await this.#temporal.workflow.start('sleepWorkflow', {
        ...this.#started([{ space: this.#space, settings: request }]),
        workflowIdConflictPolicy: 'USE_EXISTING',
        staticSummary: `sleep of ${keyOf(this.#space)}`,
      });
    } catch (error) {
      throw reaching(error);
    }
    return this.handle;
  }

  /** The sleep that runs, or the last one, whoever started it. */
  get handle(): SleepHandle {
    return new SleepHandle(this.#temporal.workflow.getHandle(this.#workflowId), this.#space);
  }

  /** How far the sleep that runs is; undefined where none does. */
  async progress(): Promise<SleepProgress | undefined> {
    return (await this.#isRunning()) ? await this.handle.progress() : undefined;
  }

  /** The schedule begins no sleep, and one that runs begins no new queue, until `resume`. Fails with `not_found` where there is neither. */
  async pause(): Promise<Told> {
    return await this.#tell('pause');
  }

  async resume(): Promise<Told> {
    return await this.#tell('resume');
  }

  /**
   * Undoes a sleep wholly, or changes nothing and lists what is in the way. Fails with `rolling_over` while the space sleeps,
   * and with `not_found` where it had no such sleep.
   */
  async undo(runId: string): Promise<Undone> {
    try {
      return (await this.#temporal.workflow.execute('undoSleepWorkflow', {
        ...this.#started([{ space: this.#space, runId }]),
        staticSummary: `undo sleep ${runId}`,
      })) as Undone;
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError)
        throw new EngraphError('rolling_over', `${JSON.stringify(this.#space)} sleeps just now; undo when that has ended`, {
          cause: error,
        });
      throw failureOf(error);
    }
  }

  /** What past sleeps came to, the latest first. */
  async runs(): Promise<SleepResult[]> {
    return (await new SleepRuns(this.#store).list(this.#space)).map(resultOf).reverse();
  }

  /** What this sleep came to; undefined where the space had none of that id. */
  async run(runId: string): Promise<SleepResult | undefined> {
    const kept = await new SleepRuns(this.#store).find(this.#space, runId);
    return kept && resultOf(kept);
  }

  /** What a sleep changed, or in a dry run would have changed, in words. */
  async differences(runId: string): Promise<Difference[]> {
    return await differencesOf(this.#store, this.#space, runId);
  }

  async #tell(word: 'pause' | 'resume'): Promise<Told> {
    const told = { schedule: (await this.schedule.describe()) !== undefined, running: await this.#isRunning() };
    if (!told.schedule && !told.running)
      throw new EngraphError('not_found', `no sleep of ${JSON.stringify(this.#space)} runs, and it has no schedule`);
    if (told.schedule) await this.schedule[word]();
    if (told.running) await this.handle[word]();
    return told;
  }

  async #isRunning(): Promise<boolean> {
    return await this.handle.isRunning();
  }

  get #workflowId(): string {
    return `sleep/${keyOf(this.#space)}`;
  }

  /** Online work goes before sleep. */
  #started(args: readonly object[]) {
    const priority = { priorityKey: 5, fairnessKey: keyOf(this.#space) };
    return { workflowId: this.#workflowId, taskQueue: this.#taskQueue, args: [...args], priority };
  }
}

/** Recorded by `sleepWorkflow`, which writes its result. */
const resultOf = ({ report }: SleepRun): SleepResult => JSON.parse(report) as SleepResult;
