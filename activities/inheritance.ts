import { fingerprintOf } from '../src/domain/fingerprint.js';
import type { GraphNode, StepLink } from '../src/domain/graph.js';
import type { CallOptions, VectorStore } from '../src/ports/vector-store.js';
import { MatureSubgraphs } from '../src/store/mature-subgraphs.js';
import type { NodeStore } from '../src/store/nodes.js';
import { SkillStore } from '../src/store/skills.js';
import type { Texts } from '../src/store/texts.js';
import type { RetrieveInput } from './contract.js';

/** What looking for skills reads from. */
interface Inheriting {
  readonly store: VectorStore;
  readonly nodes: NodeStore;
  readonly texts: Texts;
}

/** Those of the skills that tasks don't fail with: the breaker of the others is open. */
export async function inheritable<Found extends { readonly node: GraphNode }>(
  { store }: Inheriting,
  found: readonly Found[],
  options: CallOptions = {},
): Promise<Found[]> {
  const skills = new SkillStore(store);
  const kept: Found[] = [];
  for (const one of found) {
    const { node } = one;
    if (node.kind !== 'procedural' || !(await skills.isOpen(node.space, node, options))) kept.push(one);
  }
  return kept;
}

/**
 * The subgraph of the mature skill that fits tasks of this fingerprint, as step links; undefined where there is none, where the
 * skill says something else since, which makes it a candidate, or where its breaker is open.
 */
export async function matureLinks(
  memory: Inheriting,
  { space, step, round, instruction, retrieval }: RetrieveInput,
  options: CallOptions = {},
): Promise<StepLink[] | undefined> {
  if (retrieval.topKProcedural === 0) return undefined;
  const words =
    'engraph:ref' in instruction
      ? await memory.texts.read(space, instruction['engraph:ref'], options)
      : instruction['engraph:claim'].text;
  const known = await new MatureSubgraphs(memory.store).find(space, fingerprintOf(words), options);
  if (known === undefined) return undefined;
  const nodes = await memory.nodes.read(space, [known.skillId, ...known.semantic], options);
  const skill = nodes.find(({ id }) => id === known.skillId);
  if (skill?.kind !== 'procedural' || skill.lifecycle !== 'mature') return undefined;
  if ((await inheritable(memory, [{ node: skill }], options)).length === 0) return undefined;
  const facts = nodes.filter(({ kind }) => kind === 'semantic').slice(0, retrieval.topKSemantic);
  return [...facts, skill].map((node, at) => ({
    ...{ number: at + 1, step, round, act: 'activates', nodeId: node.id, version: node.version },
    ...{ kind: node.kind, score: 1, reason: 'mature' },
  }));
}
