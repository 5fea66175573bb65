import type { JsonObject } from '../domain/json.js';
import type { CallOptions, VectorStore } from '../ports/vector-store.js';
import { Records } from './records.js';

/** A sleep that was recorded. */
export interface SleepRun {
  readonly runId: string;
  /** What it came to, as whoever recorded it wrote it down. */
  readonly report: string;
  /** When it was recorded first, ISO 8601. */
  readonly at: string;
}

/** What sleeps of a space came to, for whoever asks later. */
export class SleepRuns {
  readonly #records: Records;

  constructor(store: VectorStore) {
    this.#records = new Records(store, 'sleep_run');
  }

  /** Keeps the report of a run; a later one takes the place of an earlier one. */
  async keep(space: string, { runId, report, at }: SleepRun, options: CallOptions = {}): Promise<void> {
    const keep = (known: JsonObject | undefined): JsonObject | undefined =>
      known?.['report'] === report ? undefined : { runId, report, at: known?.['at'] ?? at };
    await this.#records.change(space, runId, keep, options);
  }

  async find(space: string, runId: string, options: CallOptions = {}): Promise<SleepRun | undefined> {
    const kept = await this.#records.find(space, runId, options);
    return kept && runOf(kept.payload);
  }

  /** The recorded sleeps of a space, oldest first. */
  async list(space: string, options: CallOptions = {}): Promise<SleepRun[]> {
    const runs: SleepRun[] = [];
    for await (const fields of this.#records.list(space, '', options)) runs.push(runOf(fields));
    return runs.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : a.runId < b.runId ? -1 : 1));
  }
}

const runOf = ({ runId, report, at }: JsonObject): SleepRun => ({ runId, report, at }) as unknown as SleepRun;
