import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { EmbeddingCache } from '../src/adapters/embedding-cache.js';
import { RulesModel } from '../src/adapters/rules.js';
import { SqliteVectorStore } from '../src/adapters/sqlite.js';
import { memoryOver, openEmbedder } from '../src/compose.js';
import { loadConfig } from '../src/config.js';
import type { ExecuteInput, ExecuteOutcome } from '../src/domain/agent.js';
import { EngraphError } from '../src/domain/failure.js';
import { startEnvironment, stopEnvironment, withEngraph } from '../test/support/environment.js';
import { GameAgent } from './learn-agent.js';
import { meanOf, plot, type Series } from './learn-plot.js';
import { EPISODES, learnAll, type Learnt } from './learn-run.js';
import type { Measured } from './learn-measure.js';
import type { BenchOptions, BenchResult } from './run.js';
import { ensureTextWorld } from './twx/install.js';
import { RenamedWorld } from './twx/renamed.js';
import { TextWorld, type World } from './twx/world.js';

/** Per cent of games with 0, 1, 2, 5 and 10 episodes that a prototype of this protocol came to (facts/baselines.md 5). */
const PROTOTYPE = { easy: [0, 18, 31, 80, 86], hard: [0, 17, 40, 83, 100] } as const;

interface Options {
  readonly games: number;
  readonly seeds: readonly number[];
  readonly renamed: boolean;
  readonly out: string;
}

/**
 * Whether tasks go better for what memory made of earlier ones: a cooking game in unseen layouts with unseen recipes, played by an
 * agent that knows no game (learn-player.ts), with a memory of 0 to 10 games that it was shown. The game's own engine judges.
 * Options: `--games` measured for each memory (60), `--seeds` (11,12,13), `--renamed` for a vocabulary that nobody speaks, `--out`
 * the file of the plot. No language model is asked: skills come of the rules model.
 */
export async function run({ args }: BenchOptions): Promise<BenchResult> {
  const config = loadConfig();
  const options = optionsOf(args, config.home);
  const start = performance.now();
  const tell = (text: string): void =>
    console.error(`${((performance.now() - start) / 1_000).toFixed(0).padStart(4)} s  ${text}`);
  const packages = await ensureTextWorld(config, ({ phase }) => phase === 'fetching' && tell('fetching the game'));
  const folder = await mkdtemp(join(tmpdir(), 'engraph-learn-'));
  const memory = memoryOver(
    await SqliteVectorStore.open(join(folder, 'memory.db')),
    new EmbeddingCache(await openEmbedder(config)),
  );
  const agents: GameAgent[] = [];
  const worlds: World[] = [];
  let learnt: Learnt | undefined;
  try {
    await startEnvironment({ asDeployed: true });
    const execute = async (input: ExecuteInput): Promise<ExecuteOutcome> => {
      const agent = agents.find((one) => one.knows(input));
      if (agent === undefined)
        throw new EngraphError('validation', `no game was assigned to task ${JSON.stringify(input.taskId)}`);
      return await agent.execute(input);
    };
    await withEngraph({ memory, model: new RulesModel(), execute, replayed: false }, async (stage) => {
      learnt = await learnAll(() => {
        const played = new TextWorld(packages, config.python);
        const world = options.renamed ? new RenamedWorld(played) : played;
        const agent = new GameAgent(world);
        worlds.push(world);
        agents.push(agent);
        return { stage, agent, world, tell, ...options };
      });
    });
  } finally {
    await stopEnvironment();
    for (const world of worlds) await world.close();
    await memory.close();
    await rm(folder, { recursive: true, force: true });
  }
  if (learnt === undefined) throw new Error('nothing was learnt');
  await mkdir(dirname(options.out), { recursive: true });
  await writeFile(options.out, plot(seriesOf(learnt), 'Games won against episodes in memory'));
  return result(learnt, options, (performance.now() - start) / 1_000);
}

function optionsOf(args: readonly string[], home: string): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      games: { type: 'string', default: '60' },
      seeds: { type: 'string', default: '11,12,13' },
      renamed: { type: 'boolean', default: false },
      out: { type: 'string', default: join(home, 'learn.svg') },
    },
  });
  const [games, seeds] = [Number(values.games), values.seeds.split(',').map(Number)];
  if (!Number.isInteger(games) || games < 1)
    throw new EngraphError('validation', `--games is ${values.games}; it must be a whole number from 1`);
  if (!seeds.every(Number.isInteger))
    throw new EngraphError('validation', `--seeds is ${values.seeds}; they must be whole numbers with commas between them`);
  return { games, seeds, renamed: values.renamed, out: resolve(values.out) };
}

const percent = ({ won, games }: Measured): number => (100 * won) / games;

function seriesOf({ curve }: Learnt): Series[] {
  return (['easy', 'hard'] as const).map((level) => ({
    name: level,
    colour: level === 'easy' ? '#1b7837' : '#762a83',
    points: EPISODES.map((episodes) => ({
      episodes,
      each: curve.filter((point) => point.level === level && point.episodes === episodes).map(percent),
    })),
  }));
}

function result(learnt: Learnt, { games, seeds, renamed, out }: Options, seconds: number): BenchResult {
  const series = seriesOf(learnt);
  const means = Object.fromEntries(
    series.flatMap(({ name, points }) => points.map(({ episodes, each }) => [`${name}${episodes}`, meanOf(each)])),
  );
  const { repair, crowded, asTasks } = learnt;
  const right = (100 * crowded.reduce((sum, one) => sum + one.right, 0)) / crowded.reduce((sum, one) => sum + one.games, 0);
  const figures = {
    ...means,
    controlPermuted: meanOf(learnt.permuted.map(percent)),
    controlOther: meanOf(learnt.other.map(percent)),
    rightSkill: right,
    gamesToRepair: Number.isFinite(repair.games) ? repair.games : -1,
    repairedTo: 100 * repair.after,
  };
  const rows = series.flatMap(({ name, points }) =>
    points.map(({ episodes, each }, at) => {
      const prototype = PROTOTYPE[name as 'easy' | 'hard'][at];
      return `${name.padEnd(6)} ${String(episodes).padStart(3)} episodes  ${shown(meanOf(each))}   ${each.map(shown).join(' ')}   prototype ${prototype}`;
    }),
  );
  return {
    figures,
    baselines: {
      noMemory: { easy: means['easy0'] ?? 0, hard: means['hard0'] ?? 0 },
      prototype: Object.fromEntries(
        Object.entries(PROTOTYPE).flatMap(([level, values]) => values.map((value, at) => [`${level}${EPISODES[at]}`, value])),
      ),
      repair: { before: 100 * repair.before, broken: 100 * repair.broken },
    },
    notes: [
      `seeds ${seeds.join(', ')}; ${games} games each, test fold, seeds from 1000, 80 moves; ${renamed ? 'every word renamed' : "the game's own words"}; ${seconds.toFixed(0)} s in all`,
      'shown games, sleeps and the games of the repair are tasks and workflows; measured games are played beside them with what retrieval gives a task ' +
        `at its beginning: ${asTasks.alike} of ${asTasks.played} games that were played both ways ended alike`,
      'the agent is scripted: it reads lines and fills slots, and explores; which steps, tools and order a game takes it has from memory alone',
      `the plot is in ${out}`,
    ],
    table: [
      'games won, per cent: mean, then each seed',
      ...rows,
      `tools permuted after 10 episodes: ${shown(figures.controlPermuted)}   another game's memory: ${shown(figures.controlOther)}`,
      `four games in one memory: ${crowded.map((one) => `${one.name} right skill ${shown((100 * one.right) / one.games)} won ${shown(percent(one))}`).join(', ')}`,
      `repair: ${shown(100 * repair.before)} before, ${shown(100 * repair.broken)} broken, ${shown(100 * repair.after)} after ${repair.games} games`,
    ].join('\n'),
  };
}

const shown = (value: number): string => value.toFixed(0).padStart(3);
