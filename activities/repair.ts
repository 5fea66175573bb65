import type { Edit } from '../src/domain/edit.js';
import type { Overlay, Removal, ShownLink } from '../src/domain/subgraph.js';
import { dot } from '../src/domain/vector.js';
import type { Embedder } from '../src/ports/embedder.js';
import type { CallOptions } from '../src/ports/vector-store.js';
import type { Candidate, RepairInput, Repaired } from './contract.js';
import { keepContext, linksOf, nominate, numbered, queryOf, textOf, told, type Memory } from './formation.js';

/** What a repair reads from. */
export type RepairMemory = Memory & { readonly embedder: Embedder };

/**
 * Applies the edits of one repair to what a step sees, and to nothing else: no node and no edge of the store changes. Prune
 * takes away what is named and what is under the similarity floor; Reshape shows an overlay in a node's place; Expand adds
 * the best that the feedback's text finds and that no round has tried; Bypass leaves nothing.
 */
export async function applyEdits(memory: RepairMemory, input: RepairInput, options: CallOptions = {}): Promise<Repaired> {
  const { space, edits, retrieval, budgets } = input;
  const asks = (kind: Edit['edit']): boolean => edits.some(({ edit }) => edit === kind);
  const removed = asks('bypass')
    ? input.links.map(({ number }): Removal => ({ number, score: 0, reason: 'bypass' }))
    : await pruned(memory, input, options);
  const gone = new Set(removed.map(({ number }) => number));
  const kept = input.links.filter(({ number }) => !gone.has(number));
  const reshaped = input.overlays.filter(({ number, ref }) =>
    kept.some((link) => link.number === number && link.overlay !== ref),
  );
  const found = asks('expand') ? await expansion(memory, input, options) : [];
  const added = linksOf(found.slice(0, retrieval.topKExpand), input, 'expands', 'feedback');
  const seen = [...kept.map((link) => withOverlay(link, reshaped)), ...added];
  return {
    ...{ added, removed, reshaped, context: await keepContext(memory, space, seen, budgets, options) },
    shortlist: retrieval.mode === 'verified' ? found : [],
    nextNumber: input.nextNumber + found.length,
  };
}

async function expansion(memory: Memory, input: RepairInput, options: CallOptions): Promise<Candidate[]> {
  const { space, retrieval, tried, links } = input;
  const feedback = await textOf(memory.texts, space, input.feedback, options);
  const exclude = [...tried, ...links.map(({ nodeId }) => nodeId)];
  return numbered(
    await nominate(memory, space, feedback, retrieval, { keep: retrieval.topKExpand, exclude, ...options }),
    input.nextNumber,
  );
}

async function pruned(memory: RepairMemory, input: RepairInput, options: CallOptions): Promise<Removal[]> {
  const prunes = input.edits.filter((edit): edit is Extract<Edit, { edit: 'prune' }> => edit.edit === 'prune');
  if (prunes.length === 0) return [];
  const named = new Set(prunes.flatMap(({ nodes }) => nodes));
  const similarity = await similarities(memory, input, input.links, options);
  return input.links.flatMap(({ number, nodeId }): Removal[] => {
    const score = told(similarity.get(nodeId) ?? 0);
    if (named.has(number)) return [{ number, score, reason: 'off_topic' }];
    return score < input.retrieval.pruneBelow ? [{ number, score, reason: 'below_floor' }] : [];
  });
}

/** Cosine of each linked node to the task, by node id. */
export async function similarities(
  memory: RepairMemory,
  { space, instruction, observation }: Pick<RepairInput, 'space' | 'instruction' | 'observation'>,
  links: readonly ShownLink[],
  options: CallOptions = {},
): Promise<ReadonlyMap<string, number>> {
  const query = await queryOf(memory, space, [instruction, observation], options);
  const [task = []] = await memory.embedder.embed([query], options);
  const ids = links.map(({ nodeId }) => nodeId);
  const vectors = await memory.nodes.vectors(space, ids, options);
  return new Map([...vectors].map(([nodeId, vector]) => [nodeId, dot(task, vector)]));
}

function withOverlay(link: ShownLink, reshaped: readonly Overlay[]): ShownLink {
  const overlay = reshaped.find(({ number }) => number === link.number);
  return overlay === undefined ? link : { ...link, overlay: overlay.ref };
}
