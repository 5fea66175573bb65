import { Random } from '../demo/random.js';
import { MOST_MOVES, procedureOf } from './learn-agent.js';
import { Player } from './learn-player.js';
import type { Game, Scene, World } from './twx/world.js';

/** What games came to. */
export interface Measured {
  readonly games: number;
  readonly won: number;
  /** Games in which the skill that was followed came, for the most part, of games of this kind; 0 where none was followed. */
  readonly right: number;
}

/**
 * Plays games to their end with what a memory shows at their beginning. Played here, not as tasks, since a task costs a hundred
 * times a game's own time; that both play alike is what the bench's `asTasks` shows. Nothing is recorded.
 */
export async function measure(
  world: World,
  games: readonly Game[],
  seed: number,
  context: (scene: Scene) => Promise<string>,
  isRight: (skillId: string) => boolean = () => true,
): Promise<Measured> {
  let [won, right] = [0, 0];
  for (const game of games) {
    let scene = await world.reset(game);
    const known = procedureOf(await context(scene));
    if (known !== undefined && isRight(known.skillId)) right += 1;
    const player = new Player(known?.procedure, randomOf(seed, game)());
    for (let moves = 0; moves < MOST_MOVES && !scene.won && !scene.lost; moves++) scene = await world.step(player.act(scene));
    if (scene.won) won += 1;
  }
  return { games: games.length, won, right };
}

/** The chances of one player in one game, the same each time. */
export function randomOf(seed: number, game: Game): () => () => number {
  return () => {
    const random = new Random(seed * 100_003 + game.seed);
    return () => random.next();
  };
}
