import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';

import { episodeText } from '../activities/records.js';
import { MlKMeans } from '../src/adapters/ml-kmeans.js';
import { RulesModel } from '../src/adapters/rules.js';
import { SqliteVectorStore } from '../src/adapters/sqlite.js';
import { createActivities, memoryOver, openEmbedder, type OpenMemory } from '../src/compose.js';
import { loadConfig } from '../src/config.js';
import { clustersFor } from '../src/domain/clustering.js';
import type { EpisodicNode, ProceduralNode } from '../src/domain/graph.js';
import { idOf } from '../src/domain/id.js';
import { dot } from '../src/domain/vector.js';
import type { Embedder } from '../src/ports/embedder.js';
import { skillPrompt } from '../src/prompts/skill.js';
import type { NewNode } from '../src/store/nodes.js';
import { SkillStore } from '../src/store/skills.js';
import { madeEpisodes, type MadeEpisode } from './consolidate-episodes.js';
import type { BenchOptions, BenchResult } from './run.js';

const SIZES = [100, 200] as const;
/** Episodes that come between two sleeps. */
const BATCH = 10;
/** Each size is run so often, in turn, and the fastest counts: what else the machine does only makes it slower. */
const TRIALS = 2;
const SPACE = 'bench';
/** Cosine of two skills' texts from which one repeats the other, as when they are written. */
const TWIN_FROM = 0.9;

interface Cost {
  readonly calls: number;
  readonly ms: number;
}

/**
 * What consolidation costs as a memory grows: 100 and 200 episodes of eight kinds, ten between two sleeps, through the activities
 * of a worker over SQLite, by the rules model. `callGrowth` and `timeGrowth`: model calls and time of all sleeps for 200 episodes
 * over those for 100 (only consolidation is timed, not the recording of episodes). Beside it, FluxMem's reference code, which
 * clusters all episodes anew at each sleep with k = sqrt(n / 2) and asks for a skill for each cluster. `twins`: pairs of current
 * skills that repeat each other after three more consolidations of the same episodes told again.
 */
export async function run(_options: BenchOptions): Promise<BenchResult> {
  const embedder = await openEmbedder(loadConfig());
  try {
    const episodes = await embedded(embedder);
    const ours: Cost[] = [];
    const theirs: Cost[] = [];
    let twins = 0;
    let skills = 0;
    for (const [at, size] of SIZES.entries()) {
      for (let trial = 0; trial < TRIALS; trial++) {
        const made = await ourCost(embedder, episodes.slice(0, size), at === SIZES.length - 1 && trial === 0);
        ours[at] = fastest(ours[at], made);
        theirs[at] = fastest(theirs[at], await referenceCost(embedder, episodes.slice(0, size)));
        if (made.twins !== undefined) ({ twins, skills } = { twins: made.twins, skills: made.skills });
      }
    }
    return told(ours, theirs, { twins, skills });
  } finally {
    await embedder.close();
  }
}

type Embedded = MadeEpisode & { readonly vector: readonly number[] };

/** The episodes with their vectors, which are made when episodes are recorded and not while they are consolidated. */
async function embedded(embedder: Embedder): Promise<Embedded[]> {
  const made = madeEpisodes(SIZES[SIZES.length - 1] ?? 0);
  const texts = made.map(({ instruction, trajectory }) =>
    [instruction, ...trajectory.flatMap(({ observation, action }) => [observation, action])]
      .filter((part) => part !== '')
      .join('\n'),
  );
  const vectors: number[][] = [];
  for (let from = 0; from < texts.length; from += 32) vectors.push(...(await embedder.embed(texts.slice(from, from + 32))));
  return made.map((episode, at) => ({ ...episode, vector: vectors[at] ?? [] }));
}

const fastest = (before: Cost | undefined, now: Cost): Cost => (before !== undefined && before.ms <= now.ms ? before : now);

async function ourCost(
  embedder: Embedder,
  episodes: readonly Embedded[],
  again: boolean,
): Promise<Cost & { twins?: number; skills: number }> {
  const folder = await mkdtemp(join(tmpdir(), 'engraph-bench-'));
  const store = await SqliteVectorStore.open(join(folder, 'memory.db'));
  try {
    await store.ensure(embedder.identity);
    const memory = memoryOver(store, embedder);
    const model = new Counted();
    let ms = 0;
    for (let from = 0; from < episodes.length; from += BATCH) {
      await record(memory, episodes.slice(from, from + BATCH), from);
      ms += await sleep(memory, model, `sleep ${from}`);
    }
    const { calls } = model;
    if (!again) return { calls, ms, skills: 0 };
    for (let time = 1; time <= 3; time++) {
      await record(memory, episodes.slice(0, 20), time * 1_000);
      await sleep(memory, model, `again ${time}`);
    }
    const current = await new SkillStore(store).current(SPACE);
    return { calls, ms, twins: await twinsAmong(memory, current), skills: current.length };
  } finally {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  }
}

class Counted extends RulesModel {
  calls = 0;

  override async complete(...asked: Parameters<RulesModel['complete']>): ReturnType<RulesModel['complete']> {
    this.calls += 1;
    return await super.complete(...asked);
  }
}

async function record({ nodes }: OpenMemory, episodes: readonly Embedded[], from: number): Promise<void> {
  await nodes.insert(
    SPACE,
    episodes.map((episode, at) => node(episode, from + at)),
    { recordedAt: new Date().toISOString(), token: idOf('bench', from) },
  );
}

const node = ({ instruction, trajectory, vector }: Embedded, at: number): Extract<NewNode, { kind: 'episodic' }> => ({
  ...{ id: idOf('bench episode', at), kind: 'episodic', taskId: `task ${at}`, instruction, trajectory, outcome: 'succeeded' },
  ...{
    text: episodeText(instruction, trajectory, 'succeeded', ''),
    feedback: '',
    feedbackSource: 'agent',
    repairs: 0,
    steps: trajectory.length,
  },
  ...{ stepLinks: [], edges: {}, vector },
});

/** One consolidation, as a sleep's workflow runs it; gives its milliseconds. */
async function sleep(memory: OpenMemory, model: RulesModel, name: string): Promise<number> {
  const { planSkills, induceSkill, publishSkill, poolEpisodes } = createActivities(memory, model);
  const quiet = { logger: new DefaultLogger('ERROR') };
  const work = async <In, Out>(activity: (input: In) => Promise<Out>, input: In): Promise<Out> =>
    await new MockActivityEnvironment({}, quiet).run<[In], Out, (given: In) => Promise<Out>>(activity, input);
  const key = { space: SPACE, runId: idOf('bench', name) };
  const from = performance.now();
  const { skills } = await work(planSkills, { ...key, dryRun: false });
  for (const { skillId } of skills) {
    const { text } = await work(induceSkill, { ...key, skillId });
    await work(publishSkill, { ...key, skillId, text });
  }
  await work(poolEpisodes, key);
  return performance.now() - from;
}

async function twinsAmong({ nodes }: OpenMemory, skills: readonly ProceduralNode[]): Promise<number> {
  const vectors = [
    ...(
      await nodes.vectors(
        SPACE,
        skills.map(({ id }) => id),
      )
    ).values(),
  ];
  let twins = 0;
  for (let i = 0; i < vectors.length; i++)
    for (let j = i + 1; j < vectors.length; j++) if (dot(vectors[i] ?? [], vectors[j] ?? []) >= TWIN_FROM) twins += 1;
  return twins;
}

/** FluxMem's reference code: at each sleep all episodes are read and clustered anew, and each cluster is asked for a skill, which is embedded. */
async function referenceCost(embedder: Embedder, episodes: readonly Embedded[]): Promise<Cost> {
  const folder = await mkdtemp(join(tmpdir(), 'engraph-bench-'));
  const store = await SqliteVectorStore.open(join(folder, 'memory.db'));
  try {
    await store.ensure(embedder.identity);
    const memory = memoryOver(store, embedder);
    const model = new Counted();
    const kmeans = new MlKMeans();
    let ms = 0;
    for (let from = 0; from < episodes.length; from += BATCH) {
      await record(memory, episodes.slice(from, from + BATCH), from);
      const begun = performance.now();
      const all: EpisodicNode[] = [];
      for await (const one of memory.nodes.scan(SPACE, { kinds: ['episodic'] })) all.push(one as EpisodicNode);
      const vectors = await memory.nodes.vectors(
        SPACE,
        all.map(({ id }) => id),
      );
      const labels = kmeans.cut(
        all.map(({ id }) => vectors.get(id) ?? []),
        clustersFor(all.length),
      );
      for (const label of new Set(labels)) {
        const successes = all.filter((_, at) => labels[at] === label);
        const { text } = await model.complete(skillPrompt({ successes, failures: [] }));
        await embedder.embed([text]);
      }
      ms += performance.now() - begun;
    }
    return { calls: model.calls, ms };
  } finally {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function told(ours: readonly Cost[], theirs: readonly Cost[], { twins, skills }: { twins: number; skills: number }): BenchResult {
  const growth = ([small, large]: readonly Cost[], what: keyof Cost): number =>
    (large?.[what] ?? Number.NaN) / (small?.[what] ?? Number.NaN);
  const figures = { callGrowth: growth(ours, 'calls'), timeGrowth: growth(ours, 'ms'), twins, ...amounts(ours) };
  const reference = { callGrowth: growth(theirs, 'calls'), timeGrowth: growth(theirs, 'ms'), ...amounts(theirs) };
  const row = (name: string, costs: readonly Cost[]): string =>
    [
      name.padEnd(34),
      ...costs.map(({ calls, ms }) => `${String(calls).padStart(6)} ${ms.toFixed(0).padStart(8)} ms`),
      growth(costs, 'calls').toFixed(2).padStart(8),
      growth(costs, 'ms').toFixed(2).padStart(8),
    ].join('  ');
  return {
    figures,
    baselines: { fromScratch: reference },
    notes: [
      `all sleeps together, ${BATCH} episodes between two, the fastest of ${TRIALS} runs`,
      `after three more consolidations of the same episodes told again: ${skills} current skills of eight kinds, ${twins} pairs that repeat each other`,
    ],
    table: [
      `${''.padEnd(34)}  ${SIZES.map((size) => `${size} episodes`.padStart(18)).join('  ')}     calls     time`,
      row('new episodes only', ours),
      row('all anew each time (FluxMem)', theirs),
    ].join('\n'),
  };
}

const amounts = (costs: readonly Cost[]): Record<string, number> =>
  Object.fromEntries(
    costs.flatMap(({ calls, ms }, at) => [
      [`calls${SIZES[at]}`, calls],
      [`ms${SIZES[at]}`, ms],
    ]),
  );
