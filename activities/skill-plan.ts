import { clustersOf, middleOf, SAME_KIND } from '../src/domain/clustering.js';
import type { EpisodicNode, ProceduralNode } from '../src/domain/graph.js';
import { idOf } from '../src/domain/id.js';
import { dot } from '../src/domain/vector.js';
import type { Clusterer } from '../src/ports/clusterer.js';
import type { Embedder } from '../src/ports/embedder.js';
import type { CallOptions } from '../src/ports/vector-store.js';
import type { NodeStore } from '../src/store/nodes.js';
import type { SkillStore } from '../src/store/skills.js';

/** The new members of one skill's cluster, by their ids. */
export interface SkillCluster {
  readonly skillId: string;
  readonly joins: boolean;
  /** A mature skill stays as it is while nothing speaks against it: only its episodes grow. */
  readonly keeps?: boolean;
  readonly successes: readonly string[];
  readonly failures: readonly string[];
}

/** Everything that a plan decides. Each episode it took is in one cluster, waits, or has a skill already. */
export interface SkillPlan {
  /** Episodes that no sleep had seen before. */
  readonly episodes: number;
  readonly clusters: number;
  readonly skills: readonly SkillCluster[];
  readonly waiting: readonly string[];
  /** Episodes that a skill has and that don't say so: what a sleep that was cancelled left behind. */
  readonly had: readonly string[];
}

/** Episodes of a skill, the latest, that tell where its cluster's middle is. */
const MIDDLE_OF = 32;

/**
 * Which skills there are to draw, where any episode is new: it and those that wait join the nearest skill's cluster at or above
 * `SAME_KIND`, the others are cut into clusters; one without success waits. Reads only; no model call.
 */
export async function planSkills(
  deps: Placing & { readonly skills: SkillStore; readonly clusterer: Clusterer },
  space: string,
  numClusters: number | undefined,
  options: CallOptions = {},
): Promise<SkillPlan | undefined> {
  const { skills, clusterer } = deps;
  const fresh = await skills.unconsolidated(space, 'new', options);
  if (fresh.length === 0) return undefined;
  const current = await skills.current(space, options);
  const taken = new Set(current.flatMap(({ edges }) => [...(edges.distilledFrom ?? []), ...(edges.counterExamples ?? [])]));
  const all = [...(await skills.unconsolidated(space, 'pooled', options)), ...fresh];
  const episodes = all.filter(({ id }) => !taken.has(id));
  const vectors = await placesOf(deps, space, episodes, options);
  const middles = await middlesOf(deps, space, current, options);
  const joining = new Map<string, EpisodicNode[]>();
  const others: EpisodicNode[] = [];
  for (const episode of episodes) {
    const nearest = nearestOf(vectors.get(episode.id) ?? [], middles);
    if (nearest === undefined) others.push(episode);
    else joining.set(nearest, [...(joining.get(nearest) ?? []), episode]);
  }
  const byId = new Map(episodes.map((episode) => [episode.id, episode]));
  const clusters = clustersOf(
    others.map(({ id }) => ({ id, vector: vectors.get(id) ?? [] })),
    (points, k) => clusterer.cut(points, k),
    numClusters,
  ).map((ids) => ids.flatMap((id) => byId.get(id) ?? []));
  const anew = clusters.filter((cluster) => cluster.some(({ outcome }) => outcome === 'succeeded'));
  return {
    episodes: fresh.length,
    clusters: clusters.length,
    skills: [
      ...[...joining].map(([skillId, members]) => {
        const joined = clusterOf(skillId, true, members);
        const isMature = current.some(({ id, lifecycle }) => id === skillId && lifecycle === 'mature');
        return isMature && joined.failures.length === 0 ? { ...joined, keeps: true } : joined;
      }),
      ...anew.map((members) => clusterOf(idOf('skill', space, members[0]?.id ?? ''), false, members)),
    ],
    waiting: clusters.filter((cluster) => !anew.includes(cluster)).flatMap((cluster) => cluster.map(({ id }) => id)),
    had: all.filter(({ id }) => taken.has(id)).map(({ id }) => id),
  };
}

function clusterOf(skillId: string, joins: boolean, members: readonly EpisodicNode[]): SkillCluster {
  const ids = (wanted: boolean): string[] =>
    members.filter(({ outcome }) => (outcome === 'succeeded') === wanted).map(({ id }) => id);
  return { skillId, joins, successes: ids(true), failures: ids(false) };
}

interface Middle {
  readonly skillId: string;
  readonly vector: readonly number[];
}

/** What tells where an episode is. */
interface Placing {
  readonly nodes: NodeStore;
  readonly embedder: Embedder;
}

/**
 * Where episodes are among each other: between what they are about as a whole and what was asked for. By the whole alone, two
 * kinds of task in like surroundings are one kind (two games played in houses have a cosine of 0.84, and 0.47 so), since
 * what was seen makes most of a trajectory's words.
 */
async function placesOf(
  { nodes, embedder }: Placing,
  space: string,
  episodes: readonly EpisodicNode[],
  options: CallOptions,
): Promise<Map<string, number[]>> {
  const vectors = await nodes.vectors(
    space,
    episodes.map(({ id }) => id),
    options,
  );
  const instructions = [...new Set(episodes.map(({ instruction }) => instruction))];
  const embedded = await embedder.embed(instructions, options);
  const asked = new Map(instructions.map((instruction, at) => [instruction, embedded[at] ?? []]));
  return new Map(
    episodes.map(({ id, instruction }) => [id, middleOf([vectors.get(id) ?? [], asked.get(instruction) ?? []])] as const),
  );
}

async function middlesOf(
  deps: Placing,
  space: string,
  skills: readonly ProceduralNode[],
  options: CallOptions,
): Promise<Middle[]> {
  const sources = new Map(skills.map(({ id, edges }) => [id, (edges.distilledFrom ?? []).slice(-MIDDLE_OF)]));
  const found = await deps.nodes.read(space, [...sources.values()].flat(), options);
  const episodes = found.filter((node): node is EpisodicNode => node.kind === 'episodic');
  const places = await placesOf(deps, space, episodes, options);
  return skills.flatMap(({ id: skillId }) => {
    const own = (sources.get(skillId) ?? []).flatMap((id) => (places.has(id) ? [places.get(id) as readonly number[]] : []));
    return own.length === 0 ? [] : [{ skillId, vector: middleOf(own) }];
  });
}

/** The nearest skill at or above the threshold; ties by id. */
function nearestOf(vector: readonly number[], middles: readonly Middle[]): string | undefined {
  let best: { skillId: string; cosine: number } | undefined;
  for (const { skillId, vector: middle } of middles) {
    const cosine = dot(vector, middle);
    if (cosine >= SAME_KIND && cosine > (best?.cosine ?? -1)) best = { skillId, cosine };
  }
  return best?.skillId;
}
