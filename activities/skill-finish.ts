import { fingerprintOf } from '../src/domain/fingerprint.js';
import type { EpisodicNode, ProceduralNode } from '../src/domain/graph.js';
import { idOf } from '../src/domain/id.js';
import { lifecycleOf } from '../src/domain/skills.js';
import type { CallOptions, VectorStore } from '../src/ports/vector-store.js';
import { MatureSubgraphs } from '../src/store/mature-subgraphs.js';
import type { NodeStore } from '../src/store/nodes.js';
import type { SkillStore } from '../src/store/skills.js';
import type { Texts } from '../src/store/texts.js';
import type { Finished, FinishInput } from './contract-skills.js';
import { textOf } from './formation.js';
import { countBreaker } from './skill-publish.js';

/** What ending the ripening of a skill takes. */
export interface Finishing {
  readonly store: VectorStore;
  readonly nodes: NodeStore;
  readonly texts: Texts;
  readonly skills: SkillStore;
  readonly now: () => Date;
}

/** Facts that a mature skill's subgraph holds at most [FluxMem: topKSemantic]. */
const MOST_SEMANTIC = 5;

/**
 * Writes what a ripening came to: the best text as the next version where it is a rewrite, then its score and its place in life
 * in place, then the rounds. A skill that still fails is retired; for one that is mature, what tasks of its kind are shown first
 * is kept. A skill that somebody else has changed meanwhile keeps that change and is only told its rounds.
 */
export async function finishSkill(deps: Finishing, input: FinishInput, options: CallOptions = {}): Promise<Finished> {
  const { skills } = deps;
  const { space, runId, skillId, rounds, stopped, best } = input;
  const at = deps.now().toISOString();
  const node = await withBestText(deps, input, at, options);
  if (node === undefined) return { lifecycle: 'retired', version: input.version };
  const fails = await countBreaker(skills, node, options);
  const history = await skills.keep(
    space,
    skillId,
    (before) => ({
      ...before,
      rounds: before.rounds.some((round) => round.runId === runId)
        ? before.rounds
        : [...before.rounds, ...rounds.map((round) => ({ ...round, runId, at }))],
      ...(best && {
        ripened: { version: node.version, stopped, counterExamples: node.edges.counterExamples?.length ?? 0 },
      }),
    }),
    options,
  );
  if (best === undefined) return { lifecycle: node.lifecycle, version: node.version };
  const lifecycle = lifecycleOf({ stopped, eta: best.eta, estimated: best.estimated, isOpen: fails, opened: history.opened });
  const measured = { lifecycle, maturity: best.pems, estimated: best.estimated };
  await skills.measure(space, { nodeId: skillId, version: node.version }, measured, options);
  if (lifecycle === 'retired')
    await deps.nodes.retire(space, [skillId], { at, token: idOf('retire', runId, skillId), ...options });
  if (lifecycle === 'mature') await keepSubgraph(deps, node, options);
  return { lifecycle, version: node.version };
}

/** The skill with the text that stays; undefined where it is retired, by an attempt before this one or by somebody else. */
async function withBestText(
  { nodes, texts }: Finishing,
  { space, runId, skillId, version, best }: FinishInput,
  recordedAt: string,
  options: CallOptions,
): Promise<ProceduralNode | undefined> {
  if (best?.rewritten !== true) return (await nodes.read(space, [skillId], options))[0] as ProceduralNode | undefined;
  const write = { recordedAt, token: idOf('ripen', runId, skillId), ...options };
  const text = await textOf(texts, space, best.text, options);
  return (await nodes.revise(space, { nodeId: skillId, version, change: { text }, ...write })) as ProceduralNode;
}

/** The skill, and the facts that at least half of its successes stood on, under the fingerprint of each of their instructions. */
async function keepSubgraph({ store, nodes }: Finishing, node: ProceduralNode, options: CallOptions): Promise<void> {
  const { space, id: skillId } = node;
  const found = await nodes.read(space, node.edges.distilledFrom ?? [], options);
  const episodes = found.filter((one): one is EpisodicNode => one.kind === 'episodic');
  const times = new Map<string, number>();
  for (const { edges } of episodes) for (const id of edges.groundedIn ?? []) times.set(id, (times.get(id) ?? 0) + 1);
  const semantic = [...times]
    .filter(([, count]) => 2 * count >= episodes.length)
    .sort(([a, some], [b, more]) => more - some || (a < b ? -1 : 1))
    .slice(0, MOST_SEMANTIC)
    .map(([id]) => id);
  const subgraphs = new MatureSubgraphs(store);
  for (const fingerprint of new Set(episodes.map(({ instruction }) => fingerprintOf(instruction))))
    await subgraphs.keep(space, fingerprint, { skillId, semantic }, options);
}
