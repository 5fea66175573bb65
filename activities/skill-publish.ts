import { EngraphError } from '../src/domain/failure.js';
import type { ProceduralNode } from '../src/domain/graph.js';
import { idOf } from '../src/domain/id.js';
import { isOpen } from '../src/domain/skills.js';
import type { CallOptions } from '../src/ports/vector-store.js';
import type { NodeStore } from '../src/store/nodes.js';
import type { Recall } from '../src/store/recall.js';
import type { Records } from '../src/store/records.js';
import type { SkillStore } from '../src/store/skills.js';
import type { Published, SkillKey } from './contract-skills.js';
import type { SkillCluster } from './skill-plan.js';

/** What writing a skill takes. */
export interface Publishing {
  readonly nodes: NodeStore;
  readonly recall: Recall;
  readonly skills: SkillStore;
  /** Where it is kept what was decided for a cluster. */
  readonly records: Records;
  readonly now: () => Date;
}

/** Cosine of two skills' texts from which one repeats the other. */
const TWIN_FROM = 0.9;

/** What the text is to be written as: decided once for a cluster, whatever attempt writes it. */
interface Decision {
  readonly target: string;
  /** The version that is revised; 0 for a new skill. */
  readonly from: number;
}

/**
 * Writes a cluster's text as a skill: the next version of the skill that it joins, or of one whose text it repeats, else a new
 * one. The episodes of both stand in its edges.
 */
export async function publishCluster(
  deps: Publishing,
  cluster: SkillCluster,
  { space, runId, skillId }: SkillKey,
  text: string,
  options: CallOptions = {},
): Promise<Published> {
  const { nodes, records } = deps;
  const decide = await decision(deps, cluster, space, text, options);
  const kept = await records.change(space, `${runId}/${skillId}`, (known) => (known ? undefined : { ...decide }), options);
  const { target, from } = kept as unknown as Decision;
  const write = { recordedAt: deps.now().toISOString(), token: idOf('publish', runId, skillId), ...options };
  if (from === 0) {
    const { successes: distilledFrom, failures: counterExamples } = cluster;
    const edges = { distilledFrom, ...(counterExamples.length > 0 && { counterExamples }) };
    await nodes.insert(space, [{ id: target, kind: 'procedural', text, lifecycle: 'candidate', edges }], write);
    return { skillId: target, version: (await skillNode(nodes, space, target, options)).version, isNew: true };
  }
  const before = await skillNode(nodes, space, target, options);
  if (before.version === from) await countBreaker(deps.skills, before, options);
  const { successes, failures } = membersOf(cluster, before);
  const edges = { distilledFrom: successes, ...(failures.length > 0 && { counterExamples: failures }) };
  const { version } = await nodes.revise(space, { nodeId: target, version: from, change: { text, edges }, ...write });
  return { skillId: target, version, isNew: false };
}

async function decision(
  { nodes, recall }: Publishing,
  { skillId, joins }: SkillCluster,
  space: string,
  text: string,
  options: CallOptions,
): Promise<Decision> {
  if (joins) {
    const [node] = await nodes.read(space, [skillId], options);
    if (node !== undefined) return { target: node.id, from: node.version };
  }
  const ask = { mode: 'fast', kinds: ['procedural'], limit: 1, exclude: [skillId], ...options } as const;
  const [twin] = await recall.search(space, text, ask);
  const repeats = twin !== undefined && twin.dense >= TWIN_FROM && isInUse(twin.node as ProceduralNode);
  return repeats ? { target: twin.node.id, from: twin.node.version } : { target: skillId, from: 0 };
}

const isInUse = ({ lifecycle }: ProceduralNode): boolean => lifecycle !== 'retired';

/** Notes that tasks fail with the skill's present text, once for the text, before another takes its place. True where they do. */
export async function countBreaker(skills: SkillStore, node: ProceduralNode, options: CallOptions = {}): Promise<boolean> {
  const { space, id, version } = node;
  const uses = await skills.uses(space, node, options);
  if (!isOpen(uses)) {
    const works = uses.used > 0 && 2 * uses.succeeded >= uses.used;
    if (works) await skills.keep(space, id, (history) => ({ ...history, opened: 0 }), options);
    return false;
  }
  await skills.keep(
    space,
    id,
    (history) =>
      history.openedVersion === version ? history : { ...history, opened: history.opened + 1, openedVersion: version },
    options,
  );
  return true;
}

/** The episodes that a skill was drawn from and held against. */
export const sourcesOf = ({ edges }: ProceduralNode): string[] => [
  ...(edges.distilledFrom ?? []),
  ...(edges.counterExamples ?? []),
];

/** A cluster's episodes: those that the skill has, then the new ones. */
export function membersOf(
  cluster: SkillCluster,
  known: ProceduralNode | undefined,
): { successes: readonly string[]; failures: readonly string[] } {
  const united = (had: readonly string[] = [], fresh: readonly string[]): string[] => [...new Set([...had, ...fresh])];
  return {
    successes: united(known?.edges.distilledFrom, cluster.successes),
    failures: united(known?.edges.counterExamples, cluster.failures),
  };
}

/** The current version of a skill; fails with `not_found`. */
export async function skillNode(
  nodes: NodeStore,
  space: string,
  skillId: string,
  options: CallOptions = {},
): Promise<ProceduralNode> {
  const [node] = await nodes.read(space, [skillId], options);
  if (node?.kind === 'procedural') return node;
  throw new EngraphError('not_found', `there is no current skill ${skillId}`, { details: { skillId } });
}
