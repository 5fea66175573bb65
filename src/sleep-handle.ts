import { WorkflowNotFoundError, type WorkflowHandle } from '@temporalio/client';

import { pauseSignal, progressQuery, resumeSignal, stopSignal } from '../workflows/messages-sleep.js';
import { EngraphError } from './domain/failure.js';
import type { SleepProgress, SleepResult } from './domain/sleep-result.js';
import { failureOf } from './workflow-failures.js';

/** The one sleep of a space, while it runs and after. */
export class SleepHandle {
  readonly space: string;
  readonly #handle: WorkflowHandle;

  constructor(handle: WorkflowHandle, space: string) {
    this.#handle = handle;
    this.space = space;
  }

  get workflowId(): string {
    return this.#handle.workflowId;
  }

  /** Waits for the end, and tells what the sleep came to. */
  async result(): Promise<SleepResult> {
    return await this.#ask(async () => (await this.#handle.result()) as SleepResult);
  }

  /** Whether it has not ended; false where the space has never slept. */
  async isRunning(): Promise<boolean> {
    try {
      return (await this.#handle.describe()).status.name === 'RUNNING';
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return false;
      throw failureOf(error);
    }
  }

  /** How far it is. Needs a running worker; fails with `not_found` where the space has never slept. */
  async progress(): Promise<SleepProgress> {
    return await this.#ask(() => this.#handle.query(progressQuery));
  }

  /** No new queue is begun until `resume`; what is at work goes on to its end. */
  async pause(): Promise<void> {
    await this.#ask(() => this.#handle.signal(pauseSignal));
  }

  async resume(): Promise<void> {
    await this.#ask(() => this.#handle.signal(resumeSignal));
  }

  /** Ends the sleep once what is at work has ended; what waits is left to the next one. */
  async stop(): Promise<void> {
    await this.#ask(() => this.#handle.signal(stopSignal));
  }

  async #ask<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      if (error instanceof WorkflowNotFoundError)
        throw new EngraphError('not_found', `no sleep of ${JSON.stringify(this.space)} runs`, { cause: error });
      throw failureOf(error);
    }
  }
}
