import type { Edit } from '../src/domain/edit.js';
import type { LinkReason, StepLink } from '../src/domain/graph.js';
import { dot } from '../src/domain/vector.js';
import type { Embedder } from '../src/ports/embedder.js';
import type { CallOptions } from '../src/ports/vector-store.js';
import type { Candidate, RepairInput, Repaired } from './contract.js';
import { keepContext, linksOf, nominate, numbered, queryOf, textOf, type Memory } from './formation.js';

/**
 * Applies the edits of one repair to what a step sees, and to nothing else: no node and no edge of the store changes. Prune
 * takes away what is named and what is under the similarity floor; Reshape shows an overlay in a node's place; Expand adds
 * the best that the feedback's text finds and that no round has tried; Bypass leaves nothing.
 */
export async function applyEdits(memory: Memory & { readonly embedder: Embedder }, input: RepairInput, options: CallOptions = {}): Promise<Repaired> {
  const acts: StepLink[] = [];
  let links = input.links;
  const take = (gone: readonly StepLink[]): void => {
    acts.push(...gone);
    const numbers = new Set(gone.map(({ number }) => number));
    links = links.filter(({ number }) => !numbers.has(number));
  };
  if (input.edits.some(({ edit }) => edit === 'bypass')) take(links.map((link) => taken(link, input, link.score, 'bypass')));
  take(await pruned(memory, input, links, options));
  const reshaped = reshapedLinks(links, input);
  acts.push(...reshaped);
  links = links.map((link) => reshaped.find(({ number }) => number === link.number) ?? link);

  const found = input.edits.some(({ edit }) => edit === 'expand') ? await expansion(memory, input, options) : [];
  const added = linksOf(found.slice(0, input.retrieval.topKExpand), input, 'expands', 'feedback');
  acts.push(...added);
  links = [...links, ...added];
  const context = await keepContext(memory, input.space, links, input.budgets, options);
  const shortlist = input.retrieval.mode === 'verified' ? found : [];
  return { links, context, shortlist, acts, nextNumber: input.nextNumber + found.length };
}

async function expansion(memory: Memory, input: RepairInput, options: CallOptions): Promise<Candidate[]> {
  const { space, retrieval, tried } = input;
  const feedback = await textOf(memory.texts, space, input.feedback, options);
  const found = await nominate(memory, space, feedback, retrieval, { keep: retrieval.topKExpand, exclude: tried, ...options });
  return numbered(found, input.nextNumber);
}

async function pruned(memory: Memory & { readonly embedder: Embedder }, input: RepairInput, links: readonly StepLink[], options: CallOptions): Promise<StepLink[]> {
  const prunes = input.edits.filter((edit): edit is Extract<Edit, { edit: 'prune' }> => edit.edit === 'prune');
  if (prunes.length === 0) return [];
  const named = new Set(prunes.flatMap(({ nodes }) => nodes));
  const similarity = await similarities(memory, input, links, options);
  return links.flatMap((link) => {
    const score = similarity.get(link.nodeId) ?? 0;
    if (named.has(link.number)) return taken(link, input, score, 'off_topic');
    return score < input.retrieval.pruneBelow ? taken(link, input, score, 'below_floor') : [];
  });
}

/** Cosine of each linked node to the task, by node id. */
export async function similarities(
  memory: Memory & { readonly embedder: Embedder },
  { space, instruction, observation }: Pick<RepairInput, 'space' | 'instruction' | 'observation'>,
  links: readonly StepLink[],
  options: CallOptions = {},
): Promise<ReadonlyMap<string, number>> {
  const query = await queryOf(memory, space, [instruction, observation], options);
  const [task = []] = await memory.embedder.embed([query], options);
  const vectors = await memory.nodes.vectors(space, links.map(({ nodeId }) => nodeId), options);
  return new Map([...vectors].map(([nodeId, vector]) => [nodeId, dot(task, vector)]));
}

const taken = (link: StepLink, { round }: RepairInput, score: number, reason: LinkReason): StepLink => ({ ...link, round, act: 'prunes', score, reason });

/** Links whose node is shown by an overlay that it was not shown by before. */
function reshapedLinks(links: readonly StepLink[], { overlays, round }: RepairInput): StepLink[] {
  return links.flatMap((link) => {
    const overlay = overlays.find(({ number }) => number === link.number);
    if (overlay === undefined || overlay.ref === link.overlay) return [];
    return { ...link, round, act: 'reshapes', reason: overlay.direction, overlay: overlay.ref };
  });
}
