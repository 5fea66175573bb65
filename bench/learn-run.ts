import { Random } from '../demo/random.js';
import type { Stage } from '../test/support/environment.js';
import type { GameAgent } from './learn-agent.js';
import { permuted } from './learn-breaking.js';
import { measure, randomOf, type Measured } from './learn-measure.js';
import { repair, type Repair } from './learn-repair.js';
import { LearningSpace } from './learn-space.js';
import { OTHER_GAMES, testGame, trainGame, type Level } from './twx/games.js';
import type { Scene, World } from './twx/world.js';

/** Numbers of episodes after which a memory is measured. */
export const EPISODES = [0, 1, 2, 5, 10] as const;
/** Games that episodes are drawn from: seeds 1 to 200 of the train fold. */
const POOL = 200;
/** Episodes of each of four games in one memory: 32 are cut into four clusters by the rule for their number. */
const CROWD = 8;
const LEVELS_LEARNT: readonly Level[] = ['easy', 'hard'];

/** What a run plays with. */
export interface LearnParts {
  readonly stage: Stage;
  readonly agent: GameAgent;
  readonly world: World;
  readonly seeds: readonly number[];
  readonly games: number;
  readonly tell: (text: string) => void;
}

/** One memory measured: of which level and seed, after how many episodes. */
export interface Point extends Measured {
  readonly level: Level;
  readonly seed: number;
  readonly episodes: number;
}

/** Everything that was measured. */
export interface Learnt {
  readonly curve: readonly Point[];
  readonly permuted: readonly Measured[];
  readonly other: readonly Measured[];
  /** The first seed's memory with three more games in it. */
  readonly crowded: readonly (Measured & { readonly name: string })[];
  readonly repair: Repair;
  /** Games that were played as tasks, and those of them that ended as they do when played here. */
  readonly asTasks: { readonly played: number; readonly alike: number };
}

/** Learns and measures all arms, three at a time: each lane has a world and an agent of its own, and its memories one after the other. */
export async function learnAll(lane: () => LearnParts): Promise<Learnt> {
  const [easy, hard, rest] = await Promise.all([learnLevel(lane(), 'easy'), learnLevel(lane(), 'hard'), controls(lane())]);
  const asTasks = { played: easy.asTasks.played + hard.asTasks.played, alike: easy.asTasks.alike + hard.asTasks.alike };
  return { curve: [...easy.curve, ...hard.curve], permuted: [...easy.permuted, ...hard.permuted], asTasks, ...rest };
}

/** One size of the game, seed after seed; the memory that was measured last serves the control after it. */
async function learnLevel(parts: LearnParts, level: Level): Promise<Pick<Learnt, 'curve' | 'permuted' | 'asTasks'>> {
  const [curve, permutedGames]: [Point[], Measured[]] = [[], []];
  let asTasks = { played: 0, alike: 0 };
  for (const seed of parts.seeds) {
    const memory = spaceOf(parts, `${level} ${seed}`);
    const measured = (): Promise<Measured> =>
      measure(parts.world, testGames(level, parts.games), seed, (scene) => memory.context(scene));
    const shown = drawn(seed).map((game) => trainGame(level, game));
    for (const [at, episodes] of EPISODES.entries()) {
      await learn(memory, shown.slice(EPISODES[at - 1] ?? 0, episodes), seed);
      const point = { level, seed, episodes, ...(await measured()) };
      curve.push(point);
      parts.tell(`${level}, seed ${seed}, ${episodes} episodes: ${point.won} of ${point.games}`);
    }
    if (seed === parts.seeds[0]) asTasks = await playedAsTasks(parts, memory, level, seed);
    for (const skill of await memory.skills()) await memory.rewrite(skill, permuted);
    permutedGames.push(await measured());
    parts.tell(`${level}, seed ${seed}, permuted: ${permutedGames.at(-1)?.won}`);
  }
  return { curve, permuted: permutedGames, asTasks };
}

async function controls(parts: LearnParts): Promise<Pick<Learnt, 'other' | 'crowded' | 'repair'>> {
  const mended = await repaired(parts);
  const crowded = await withMoreGames(parts);
  const other: Measured[] = [];
  for (const seed of parts.seeds) other.push(...(await withOtherGame(parts, seed)));
  return { other, crowded, repair: mended };
}

const spaceOf = (parts: LearnParts, name: string): LearningSpace => new LearningSpace(`learn ${name}`, parts);
const testGames = (name: Level | (typeof OTHER_GAMES)[number], games: number) =>
  Array.from({ length: games }, (_, at) => testGame(name, at));
const drawn = (seed: number): number[] => new Random(seed).shuffled(Array.from({ length: POOL }, (_, at) => at + 1));

async function learn(
  memory: LearningSpace,
  games: readonly ReturnType<typeof trainGame>[],
  seed: number,
  replayable = false,
): Promise<void> {
  for (const game of games) {
    const won = await memory.play({ game, random: randomOf(seed, game) }, { shown: true, replayable });
    if (!won) throw new Error(`the game's own solution of ${game.game} ${game.seed} does not win`);
  }
  if (games.length > 0) await memory.sleep();
}

/** A memory of another game, and nothing else, in the games that are measured. */
async function withOtherGame(parts: LearnParts, seed: number): Promise<Measured[]> {
  const memory = spaceOf(parts, `other ${seed}`);
  const games = drawn(seed).map((game) => trainGame('sorting', game));
  await learn(memory, games.slice(0, EPISODES.at(-1)), seed);
  const measured: Measured[] = [];
  for (const level of LEVELS_LEARNT)
    measured.push(await measure(parts.world, testGames(level, parts.games), seed, (scene) => memory.context(scene)));
  parts.tell(`another game's memory, seed ${seed}: ${measured.map(({ won }) => won).join(', ')}`);
  return measured;
}

/** Four games in one memory, shown in turn: is it the right skill that a game is played by? */
async function withMoreGames(parts: LearnParts): Promise<Learnt['crowded']> {
  const [seed = 0] = parts.seeds;
  const memory = spaceOf(parts, `crowded ${seed}`);
  const names = ['easy', ...OTHER_GAMES] as const;
  for (let at = 0; at < CROWD; at++)
    for (const name of names) await learnOne(memory, trainGame(name, drawn(seed)[at] as number), seed);
  await memory.sleep();
  const tasks = await memory.tasksOfSkills();
  const measured: (Measured & { name: string })[] = [];
  for (const name of names) {
    let task = '';
    const context = async (scene: Scene): Promise<string> => ((task = scene.task), await memory.context(scene));
    const isRight = (skillId: string): boolean => tasks.get(skillId) === task;
    measured.push({ name, ...(await measure(parts.world, testGames(name, parts.games), seed, context, isRight)) });
    parts.tell(`four games in one memory, ${name}: right skill ${measured.at(-1)?.right}, won ${measured.at(-1)?.won}`);
  }
  return measured;
}

const learnOne = (memory: LearningSpace, game: ReturnType<typeof trainGame>, seed: number): Promise<boolean> =>
  memory.play({ game, random: randomOf(seed, game) }, { shown: true });

async function repaired(parts: LearnParts): Promise<Repair> {
  const [seed = 0] = parts.seeds;
  const memory = spaceOf(parts, `repaired ${seed}`);
  await learn(
    memory,
    drawn(seed)
      .slice(0, EPISODES.at(-1))
      .map((game) => trainGame('easy', game)),
    seed,
    true,
  );
  const { world, games } = parts;
  const mended = await repair(memory, { world, level: 'easy', seed, games });
  parts.tell(`repair: ${JSON.stringify(mended)}`);
  return mended;
}

/** Games of this bench as tasks of the product's, against the same games played here: both must go alike. */
async function playedAsTasks(
  { world, games }: LearnParts,
  memory: LearningSpace,
  level: Level,
  seed: number,
): Promise<Learnt['asTasks']> {
  let alike = 0;
  const some = testGames(level, Math.min(games, 3));
  for (const game of some) {
    const { won } = await measure(world, [game], seed, (scene) => memory.context(scene));
    if ((await memory.play({ game, random: randomOf(seed, game) })) === (won === 1)) alike += 1;
  }
  return { played: some.length, alike };
}
