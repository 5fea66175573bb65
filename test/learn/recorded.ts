import { readFileSync } from 'node:fs';

import { EngraphError } from '../../src/domain/failure.js';
import type { Act } from '../../src/domain/graph.js';
import type { Game, Scene, World } from '../../bench/twx/world.js';

/** A recorded game: README.md beside it says of what and how. */
export interface Recording extends Game {
  readonly instruction: string;
  readonly trajectory: readonly Act[];
}

/** The recorded games. */
export const recordings: readonly Recording[] = readFileSync(new URL('episodes.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Recording);

/** Plays recorded games as they were recorded, and nothing else: a world for who shows how it is done. */
export class RecordedWorld implements World {
  #playing: Recording | undefined;
  #moves = 0;

  reset({ seed }: Game): Promise<Scene> {
    this.#playing = recordings.find((one) => one.seed === seed);
    this.#moves = 0;
    return Promise.resolve(this.#scene());
  }

  step(action: string): Promise<Scene> {
    const next = this.#playing?.trajectory[this.#moves]?.action;
    if (next !== action) throw new EngraphError('validation', `the recording goes on with "${next}", not with "${action}"`);
    this.#moves += 1;
    return Promise.resolve(this.#scene());
  }

  gold({ seed }: Game): Promise<readonly string[]> {
    return Promise.resolve(recordings.find((one) => one.seed === seed)?.trajectory.map(({ action }) => action) ?? []);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #scene(): Scene {
    const { instruction: task = '', trajectory = [] } = this.#playing ?? {};
    const { observation = 'It is over.', action } = trajectory[this.#moves] ?? {};
    const won = action === undefined;
    return { task, observation, look: observation, valid: action === undefined ? [] : [action], score: 0, won, lost: false };
  }
}
