import { ScheduleNotFoundError, ScheduleOverlapPolicy, type Client, type ScheduleHandle } from '@temporalio/client';

import { EngraphError } from './domain/failure.js';
import type { SleepRequest } from './domain/sleep.js';
import { keyOf } from './domain/space.js';
import { reaching } from './workflow-failures.js';

/** What a space's schedule is, as a person asks. */
export interface SleepScheduleTold {
  readonly everyMs: number;
  readonly paused: boolean;
  /** ISO 8601; absent while it is paused. */
  readonly next?: string;
  readonly settings?: SleepRequest;
}

/** Shortest time between two scheduled sleeps: a minute. */
const SHORTEST_MS = 60_000;

/**
 * The Temporal Schedule by which a space sleeps again and again. Each time it starts a small `sleepTick`, which starts the one
 * sleep of the space, or leaves alone the one that runs.
 */
export class SleepSchedule {
  readonly #temporal: Client;
  readonly #taskQueue: string;
  readonly #space: string;

  constructor(temporal: Client, { taskQueue, space }: { taskQueue: string; space: string }) {
    this.#temporal = temporal;
    this.#taskQueue = taskQueue;
    this.#space = space;
  }

  /** Makes the schedule, or changes the one there is; a paused one stays paused. Fails with `validation` for less than a minute. */
  async set(everyMs: number, settings?: SleepRequest): Promise<void> {
    if (!Number.isInteger(everyMs) || everyMs < SHORTEST_MS)
      throw new EngraphError('validation', `every is ${everyMs} ms; a space may sleep once a minute at most`);
    const key = keyOf(this.#space);
    const timing = {
      spec: { intervals: [{ every: everyMs }] },
      action: {
        type: 'startWorkflow' as const,
        workflowType: 'sleepTick',
        workflowId: `sleep-tick/${key}`,
        taskQueue: this.#taskQueue,
        args: [{ space: this.#space, ...(settings !== undefined && { settings }) }],
        priority: { priorityKey: 5, fairnessKey: key },
      },
      policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: 3_600_000 },
    };
    await this.#reach(async () => {
      if (await this.#exists()) await this.#handle().update(({ state }) => ({ ...timing, state }));
      else await this.#temporal.schedule.create({ scheduleId: `sleep/${key}`, ...timing });
    });
  }

  async pause(): Promise<void> {
    await this.#reach(() => this.#handle().pause('paused by engraph'));
  }

  async resume(): Promise<void> {
    await this.#reach(() => this.#handle().unpause('resumed by engraph'));
  }

  async delete(): Promise<void> {
    await this.#reach(() => this.#handle().delete());
  }

  /** The schedule, or undefined where the space has none. */
  async describe(): Promise<SleepScheduleTold | undefined> {
    return await this.#reach(async () => {
      if (!(await this.#exists())) return undefined;
      const { spec, state, info, action } = await this.#handle().describe();
      const [input] = action.type === 'startWorkflow' ? ((action.args ?? []) as { settings?: SleepRequest }[]) : [];
      const next = info.nextActionTimes[0];
      return {
        everyMs: Number(spec.intervals?.[0]?.every ?? 0),
        paused: state.paused,
        ...(!state.paused && next !== undefined && { next: next.toISOString() }),
        ...(input?.settings !== undefined && { settings: input.settings }),
      };
    });
  }

  #handle(): ScheduleHandle {
    return this.#temporal.schedule.getHandle(`sleep/${keyOf(this.#space)}`);
  }

  async #exists(): Promise<boolean> {
    try {
      await this.#handle().describe();
      return true;
    } catch (error) {
      if (error instanceof ScheduleNotFoundError) return false;
      throw error;
    }
  }

  async #reach<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof ScheduleNotFoundError)
        throw new EngraphError(
          'not_found',
          `${JSON.stringify(this.#space)} has no schedule; \`engraph sleep --every 24h\` makes one`,
          {
            cause: error,
          },
        );
      throw reaching(error);
    }
  }
}
