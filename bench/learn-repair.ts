import { permuted } from './learn-breaking.js';
import { measure, randomOf } from './learn-measure.js';
import type { LearningSpace } from './learn-space.js';
import { FIRST_TEST_SEED, testGame, type Level } from './twx/games.js';
import type { World } from './twx/world.js';

/** Games after which a repair is given up. */
const MOST_GAMES = 40;
/** A memory sleeps after so many games. */
const GAMES_A_NIGHT = 5;

/** How a memory mended a skill that was broken on purpose; shares of the measured games, 0 to 1. */
export interface Repair {
  readonly before: number;
  readonly broken: number;
  readonly after: number;
  /** Games that were played as tasks until the measured games went as before; infinite where they never did. */
  readonly games: number;
}

/**
 * Permutes the tools of the skills of a memory, then plays games nobody has seen as tasks, sleeping after every fifth, until the
 * measured games go as well as before the break. What happens in between is the product's alone: failed episodes, counter-examples,
 * induction, replays, rewriting.
 */
export async function repair(
  memory: LearningSpace,
  { world, level, seed, games }: { world: World; level: Level; seed: number; games: number },
): Promise<Repair> {
  const measured = Array.from({ length: games }, (_, at) => testGame(level, at));
  const share = async (): Promise<number> =>
    (await measure(world, measured, seed, (scene) => memory.context(scene))).won / Math.max(1, games);
  const before = await share();
  for (const skill of await memory.skills()) await memory.rewrite(skill, permuted);
  const broken = await share();
  let after = broken;
  for (let played = 1; played <= MOST_GAMES; played++) {
    // The fold of development: neither shown nor measured.
    const game = { ...testGame(level, played), seed: FIRST_TEST_SEED + played, fold: 'dev' } as const;
    await memory.play({ game, random: randomOf(seed, game) }, { replayable: true });
    if (played % GAMES_A_NIGHT !== 0) continue;
    await memory.sleep();
    after = await share();
    if (after >= before) return { before, broken, after, games: played };
  }
  return { before, broken, after, games: Number.POSITIVE_INFINITY };
}
