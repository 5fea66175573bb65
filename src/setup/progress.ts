/** One sign of life of a piece of set-up, for a person to see. */
export interface SetupProgress {
  /** What is being set up: `temporal-1.9.1-linux-x64`. */
  readonly what: string;
  /** `waiting`: another process is at it. `checking`: SHA-256. The last one is always `ready`, unless the work fails. */
  readonly phase: 'waiting' | 'fetching' | 'checking' | 'starting' | 'ready';
  /** A line to show: a file's name, a tool's own words. */
  readonly note?: string;
  /** How far a fetch is and how far it goes, where the source tells. */
  readonly doneBytes?: number;
  readonly totalBytes?: number;
}

/** Takes the progress of a set-up; called often, must not throw. */
export type OnProgress = (progress: SetupProgress) => void;
