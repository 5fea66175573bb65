import { activityInfo } from '@temporalio/activity';

import { EngraphError } from '../src/domain/failure.js';
import type { EpisodicNode } from '../src/domain/graph.js';
import { idOf } from '../src/domain/id.js';
import type { JsonObject } from '../src/domain/json.js';
import type { Clusterer } from '../src/ports/clusterer.js';
import type { Embedder } from '../src/ports/embedder.js';
import type { CallOptions } from '../src/ports/vector-store.js';
import type { ExperienceShown } from '../src/prompts/inputs-skill.js';
import { parseSkill, skillPrompt } from '../src/prompts/skill.js';
import { Records } from '../src/store/records.js';
import { SkillStore } from '../src/store/skills.js';
import { ask, type Asking } from './asking.js';
import type { PlannedSkills, PlanSkillsInput, SkillActivities, SkillKey } from './contract-skills.js';
import type { SleepKey } from './contract-sleep.js';
import { working } from './failures.js';
import { textOf, type Memory } from './formation.js';
import { planSkills, type SkillCluster, type SkillPlan } from './skill-plan.js';
import { membersOf, publishCluster, skillNode, sourcesOf } from './skill-publish.js';

/** What the activities that draw skills work with. */
export type SkillDeps = Memory &
  Asking & { readonly clusterer: Clusterer; readonly embedder: Embedder; readonly now: () => Date };

/** Successes and failures that a question shows, the latest; more make it longer, not better. */
const MOST_SUCCESSES = 12;
const MOST_FAILURES = 4;

/** Consolidation [FluxMem]: new episodes into skills. Each may be repeated at any point and does nothing twice. */
export function createConsolidationActivities(
  deps: SkillDeps,
): Pick<SkillActivities, 'planSkills' | 'induceSkill' | 'publishSkill' | 'poolEpisodes'> {
  const skills = new SkillStore(deps.store);
  const records = new Records(deps.store, 'consolidation');
  const planOf = async ({ space, runId }: SleepKey, options: CallOptions): Promise<SkillPlan> => {
    const kept = (await records.find(space, runId, options))?.payload as unknown as SkillPlan | undefined;
    if (kept !== undefined) return kept;
    throw new EngraphError('not_found', `the sleep ${runId} has planned no skills yet`, { details: { runId } });
  };
  const clusterOf = async (key: SkillKey, options: CallOptions): Promise<SkillCluster> => {
    const cluster = (await planOf(key, options)).skills.find(({ skillId }) => skillId === key.skillId);
    if (cluster !== undefined) return cluster;
    throw new EngraphError('not_found', `the sleep ${key.runId} plans no skill ${key.skillId}`, { details: { ...key } });
  };
  return {
    planSkills: (input) => working((signal) => plan(deps, skills, records, input, { signal })),

    induceSkill: (input) =>
      working(async (signal) => {
        const { space, runId, skillId } = input;
        const cluster = await clusterOf(input, { signal });
        const known = cluster.joins ? await skillNode(deps.nodes, space, skillId, { signal }) : undefined;
        const sources = membersOf(cluster, known);
        const prompt = skillPrompt({
          successes: await shownEpisodes(deps, space, sources.successes.slice(-MOST_SUCCESSES), { signal }),
          failures: await shownEpisodes(deps, space, sources.failures.slice(-MOST_FAILURES), { signal }),
          ...(known && { known: known.text }),
        });
        const question = { space, batchId: idOf('call', 'skill', runId, skillId), attempt: activityInfo().attempt, signal };
        const { reply, spent } = await ask(deps, question, prompt, parseSkill);
        return { text: { 'engraph:ref': await deps.texts.keep(space, reply.text, { signal }) }, spent };
      }),

    publishSkill: (input) =>
      working(async (signal) => {
        const { space, text } = input;
        const cluster = await clusterOf(input, { signal });
        const words =
          text === undefined
            ? (await skillNode(deps.nodes, space, input.skillId, { signal })).text
            : await textOf(deps.texts, space, text, { signal });
        const written = await publishCluster({ ...deps, skills, records }, cluster, input, words, { signal });
        await skills.mark(space, [...cluster.successes, ...cluster.failures], 'consolidated', { signal });
        return written;
      }),

    poolEpisodes: (input) =>
      working(async (signal) => {
        const { space } = input;
        const { skills: planned, waiting, had } = await planOf(input, { signal });
        await skills.mark(space, had, 'consolidated', { signal });
        const drawn = new Set((await skills.current(space, { signal })).flatMap(sourcesOf));
        const left = planned.flatMap(({ successes, failures }) => [...successes, ...failures]).filter((id) => !drawn.has(id));
        await skills.mark(space, [...waiting, ...left], 'pooled', { signal });
        return { waiting: waiting.length + left.length };
      }),
  };
}

async function plan(
  deps: SkillDeps,
  skills: SkillStore,
  records: Records,
  { space, runId, numClusters, dryRun }: PlanSkillsInput,
  options: CallOptions,
): Promise<PlannedSkills> {
  const kept = (await records.find(space, runId, options))?.payload as unknown as SkillPlan | undefined;
  const made = kept ?? (await planSkills({ ...deps, skills }, space, numClusters, options));
  if (made === undefined) return { episodes: 0, joined: 0, clusters: 0, waiting: 0, skills: [] };
  if (!dryRun && kept === undefined) {
    const fields = JSON.parse(JSON.stringify(made)) as JsonObject;
    await records.change(space, runId, (known) => (known ? undefined : fields), options);
  }
  const told = made.skills.map(({ skillId, joins, keeps, successes, failures }) => ({
    ...{ skillId, joins, ...(keeps && { keeps }) },
    successes: successes.length,
    failures: failures.length,
  }));
  const joined = told.filter(({ joins }) => joins).reduce((sum, one) => sum + one.successes + one.failures, 0);
  return { episodes: made.episodes, joined, clusters: made.clusters, waiting: made.waiting.length, skills: told };
}

/** Episodes as a question shows them, in the order of the ids; one that was forgotten meanwhile is left out. */
export async function shownEpisodes(
  { nodes }: Pick<Memory, 'nodes'>,
  space: string,
  episodeIds: readonly string[],
  options: CallOptions = {},
): Promise<ExperienceShown[]> {
  const found = await nodes.read(space, episodeIds, options);
  return found
    .filter((node): node is EpisodicNode => node.kind === 'episodic')
    .map(({ instruction, trajectory, feedback }) => ({ instruction, trajectory, feedback }));
}
