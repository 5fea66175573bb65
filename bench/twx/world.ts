import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { EngraphError } from '../../src/domain/failure.js';

/** One game of TextWorldExpress: the same words give the same game. */
export interface Game {
  readonly game: string;
  /** The engine's own settings, `name=value` joined by commas; '' for its defaults. */
  readonly params: string;
  readonly seed: number;
  readonly fold: 'train' | 'dev' | 'test';
}

/** What a player sees after a move. */
export interface Scene {
  /** What the game asks for. */
  readonly task: string;
  readonly observation: string;
  /** The place where the player is, as looking around would tell it. */
  readonly look: string;
  /** The actions that the game takes now, sorted. */
  readonly valid: readonly string[];
  /** 0 to 1, of the game's own. No agent is shown it. */
  readonly score: number;
  /** The game's own verdict. */
  readonly won: boolean;
  readonly lost: boolean;
}

/** A place where games are played, one at a time. */
export interface World {
  reset(game: Game): Promise<Scene>;
  step(action: string): Promise<Scene>;
  /** The game's own solution of a game, which is not the one being played afterwards. */
  gold(game: Game): Promise<readonly string[]>;
  close(): Promise<void>;
}

const SIDECAR = fileURLToPath(new URL('./sidecar.py', import.meta.url));

interface Waiting {
  resolve(answer: Record<string, unknown>): void;
  reject(cause: unknown): void;
}

/** The engine in a process of its own (a Python with a Java behind it), spoken to in JSON lines. Fails with `config`. */
export class TextWorld implements World {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #waiting: Waiting[] = [];
  readonly #complaints: string[] = [];
  #ended: EngraphError | undefined;

  /** `packages` is the folder of `ensureTextWorld`. */
  constructor(packages: string, python = 'python3') {
    this.#child = spawn(python, [SIDECAR], {
      env: { PATH: process.env['PATH'], PYTHONPATH: packages, PYTHONIOENCODING: 'utf-8' },
    });
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      this.#waiting.shift()?.resolve(JSON.parse(line) as Record<string, unknown>);
    });
    createInterface({ input: this.#child.stderr }).on('line', (line) => {
      this.#complaints.splice(0, Math.max(0, this.#complaints.length - 4));
      this.#complaints.push(line);
    });
    this.#child.stdin.on('error', () => undefined); // told by 'close' below, with what the process complained of
    this.#child.once('error', (cause) => this.#end(`can't be run (${python})`, cause));
    this.#child.once('close', (code) => this.#end(`ended with ${code}: ${this.#complaints.join(' ')}`));
  }

  async reset(game: Game): Promise<Scene> {
    return scene(await this.#ask({ do: 'reset', ...game }));
  }

  async step(action: string): Promise<Scene> {
    return scene(await this.#ask({ do: 'step', action }));
  }

  async gold(game: Game): Promise<readonly string[]> {
    return (await this.#ask({ do: 'reset', ...game, gold: true }))['gold'] as string[];
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#ended) return;
    const closed = new Promise<void>((resolve) => this.#child.once('close', () => resolve()));
    this.#child.stdin.end();
    await closed;
  }

  async #ask(request: object): Promise<Record<string, unknown>> {
    if (this.#ended) throw this.#ended;
    const answer = await new Promise<Record<string, unknown>>((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#child.stdin.write(`${JSON.stringify(request)}\n`);
    });
    if (answer['error'] !== undefined)
      throw new EngraphError('validation', `the game refused ${JSON.stringify(request)}: ${String(answer['error'])}`);
    return answer;
  }

  #end(how: string, cause?: unknown): void {
    this.#ended ??= new EngraphError('config', `the game's process ${how}`, { cause });
    for (const { reject } of this.#waiting.splice(0)) reject(this.#ended);
  }
}

const scene = ({ task, observation, look, valid, score, won, lost }: Record<string, unknown>): Scene => ({
  task: task as string,
  observation: observation as string,
  look: look as string,
  valid: valid as string[],
  score: score as number,
  won: won as boolean,
  lost: lost as boolean,
});
