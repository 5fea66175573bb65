import type { Game } from './world.js';

/** The game that is learnt, CookingWorld, in two sizes (facts/baselines.md 5). */
export const LEVELS = {
  easy: 'numLocations=3,numIngredients=2,numDistractorItems=3,includeDoors=0,limitInventorySize=0',
  hard: 'numLocations=6,numIngredients=3,numDistractorItems=6,includeDoors=1,limitInventorySize=0',
} as const;
export type Level = keyof typeof LEVELS;

/** Games of another kind, whose skills stand in the same memory. */
export const OTHER_GAMES = ['twc', 'sorting', 'simonsays'] as const;

/** The first seed of the games that are measured on; their fold has other layouts, ingredients and recipes than the others. */
export const FIRST_TEST_SEED = 1000;

/** A game to learn from: its seed from 1. */
export const trainGame = (name: Level | (typeof OTHER_GAMES)[number], seed: number): Game => ({
  ...kindOf(name),
  seed,
  fold: 'train',
});

/** A game to be measured on: the first, the second and so on, counted from 0. */
export const testGame = (name: Level | (typeof OTHER_GAMES)[number], at: number): Game => ({
  ...kindOf(name),
  seed: FIRST_TEST_SEED + at,
  fold: 'test',
});

function kindOf(name: Level | (typeof OTHER_GAMES)[number]): Pick<Game, 'game' | 'params'> {
  return name === 'easy' || name === 'hard' ? { game: 'cookingworld', params: LEVELS[name] } : { game: name, params: '' };
}
