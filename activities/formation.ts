import type { Text } from '../src/domain/claim.js';
import { serialiseContext, type ContextBudgets, type ContextItem } from '../src/domain/context.js';
import type { GraphNode, LinkReason, StepLink } from '../src/domain/graph.js';
import type { ShownLink } from '../src/domain/subgraph.js';
import type { ReplayRequest, RetrievalSettings } from '../src/domain/task.js';
import type { CallOptions, VectorStore } from '../src/ports/vector-store.js';
import { nodesPointingTo } from '../src/store/edges.js';
import type { NodeStore } from '../src/store/nodes.js';
import type { Ranked, Recall } from '../src/store/recall.js';
import type { Texts } from '../src/store/texts.js';
import type { Candidate, Formed, KeptContext, RetrieveInput } from './contract.js';
import { inheritable, matureLinks } from './inheritance.js';

/** What forming and repairing a subgraph reads from. */
export interface Memory {
  readonly store: VectorStore;
  readonly nodes: NodeStore;
  readonly recall: Recall;
  readonly texts: Texts;
}

/** Searches of a formation: for facts, for episodes, for skills. */
const SEARCHES = 3;

/** Candidates that a verify call is shown, for each that may stay. */
const SHORTLIST_FACTOR = 3;

/**
 * Forms a step's subgraph [FluxMem: formation]: the best semantic nodes of the fused ranking, the nearest episodes, the skills
 * that the episodes' Distill edges lead to, and the skills found by their own text. Deterministic for an unchanged store.
 */
export async function formSubgraph(memory: Memory, input: RetrieveInput, options: CallOptions = {}): Promise<Formed> {
  const { space, retrieval } = input;
  if (input.replay !== undefined) return await formReplay(memory, input, input.replay, options);
  const mature = input.afresh === true ? undefined : await matureLinks(memory, input, options);
  if (mature !== undefined) {
    const context = await keepContext(memory, space, mature, input.budgets, options);
    const saved = { modelCalls: retrieval.mode === 'verified' ? 1 : 0, searches: SEARCHES };
    return { links: mature, context, shortlist: [], nextNumber: mature.length + 1, saved };
  }
  const query = await queryOf(memory, space, [input.instruction, input.observation]);
  const semantic = await nominate(memory, space, query, retrieval, { keep: retrieval.topKSemantic, ...options });
  const episodes = await nearest(memory, space, query, 'episodic', retrieval.topKEpisodic, options);
  const distilled = await nodesPointingTo(
    memory.store,
    space,
    'distilledFrom',
    episodes.map(({ node }) => node.id),
    options,
  );
  const direct = await nearest(memory, space, query, 'procedural', retrieval.topKProcedural, options);

  const inherited = await inheritable(memory, skillsOf(distilled, direct, retrieval.topKProcedural), options);

  const shortlist = numbered(semantic, input.firstNumber ?? 1);
  const verify = retrieval.mode === 'verified';
  let next = (input.firstNumber ?? 1) + shortlist.length;
  const link = (node: GraphNode, score: number, reason: LinkReason): StepLink => ({
    ...{ number: next++, step: input.step, round: input.round, act: 'activates' },
    ...{ nodeId: node.id, version: node.version, kind: node.kind, score: told(score), reason },
  });
  const links = [
    ...linksOf(shortlist.slice(0, retrieval.topKSemantic), input, 'activates', 'ranked'),
    ...episodes.map(({ node, dense }) => link(node, dense, 'nearest_episode')),
    ...inherited.map(({ node, score, reason }) => link(node, score, reason)),
  ];
  const context = await keepContext(memory, space, links, input.budgets, options);
  return { links, context, shortlist: verify ? shortlist : [], nextNumber: next };
}

/** The subgraph of a replay: the skill under test, with the text that is tried. */
async function formReplay(memory: Memory, input: RetrieveInput, replay: ReplayRequest, options: CallOptions): Promise<Formed> {
  const { space, step, round, budgets } = input;
  const link: StepLink = {
    ...{ number: 1, step, round, act: 'activates', nodeId: replay.skillId, version: replay.version },
    ...{ kind: 'procedural', score: 1, reason: 'replayed', overlay: replay.text },
  };
  return { links: [link], context: await keepContext(memory, space, [link], budgets, options), shortlist: [], nextNumber: 2 };
}

/** Skills to inherit: those of the nearest episodes first, then those found by their own text; none that is retired. */
function skillsOf(distilled: readonly GraphNode[], direct: readonly Ranked[], most: number) {
  const found = new Map<string, { node: GraphNode; score: number; reason: LinkReason }>();
  const scores = new Map(direct.map(({ node, dense }) => [node.id, dense]));
  for (const node of distilled) found.set(node.id, { node, score: scores.get(node.id) ?? 0, reason: 'distilled' });
  for (const { node, dense } of direct) if (!found.has(node.id)) found.set(node.id, { node, score: dense, reason: 'direct' });
  return [...found.values()].filter(({ node }) => node.kind === 'procedural' && node.lifecycle !== 'retired').slice(0, most);
}

/** The best semantic nodes for a query: as many as may stay, or the short list of a verify call. */
export async function nominate(
  { recall }: Memory,
  space: string,
  query: string,
  retrieval: RetrievalSettings,
  { keep, exclude, signal }: { keep: number; exclude?: readonly string[] } & CallOptions,
): Promise<Ranked[]> {
  if (keep === 0) return [];
  return await recall.search(space, query, {
    mode: retrieval.mode === 'fast' ? 'fast' : 'hybrid',
    kinds: ['semantic'],
    limit: retrieval.mode === 'verified' ? keep * SHORTLIST_FACTOR : keep,
    weights: retrieval,
    ...(exclude && { exclude }),
    ...(signal && { signal }),
  });
}

async function nearest(
  { recall }: Memory,
  space: string,
  query: string,
  kind: 'episodic' | 'procedural',
  limit: number,
  options: CallOptions,
): Promise<Ranked[]> {
  return limit === 0 ? [] : await recall.search(space, query, { mode: 'fast', kinds: [kind], limit, ...options });
}

/** Candidates under small numbers, counted from `first`. */
export function numbered(ranked: readonly Ranked[], first: number): Candidate[] {
  return ranked.map(({ node, dense, bm25, score }, at) => ({
    number: first + at,
    nodeId: node.id,
    version: node.version,
    dense: told(dense),
    bm25: told(bm25),
    score: told(score),
  }));
}

/** A score as histories tell it: four places are more than a ranking needs. */
export const told = (score: number): number => Math.round(score * 1e4) / 1e4;

/** Step links to these candidates. */
export function linksOf(
  candidates: readonly Candidate[],
  { step, round }: { step: number; round: number },
  act: 'activates' | 'expands',
  reason: LinkReason,
): StepLink[] {
  return candidates.map(({ number, nodeId, version, score }) => ({
    number,
    step,
    round,
    act,
    nodeId,
    version,
    kind: 'semantic',
    score,
    reason,
  }));
}

/** Serialises what these links show and keeps it in the store: semantic nodes by score, then episodes, then skills. */
export async function keepContext(
  memory: Memory,
  space: string,
  links: readonly ShownLink[],
  budgets: ContextBudgets,
  options: CallOptions = {},
): Promise<KeptContext> {
  const items = await contextItems(memory, space, links, options);
  const { text, tokens, dropped } = serialiseContext(items, budgets);
  return { ref: await memory.texts.keep(space, text, options), tokens, dropped };
}

/** What these links show, in the order of their links; a node that was forgotten meanwhile is left out. */
export async function contextItems(
  memory: Memory,
  space: string,
  links: readonly ShownLink[],
  options: CallOptions = {},
): Promise<ContextItem[]> {
  const nodes = await memory.nodes.read(
    space,
    links.map(({ nodeId }) => nodeId),
    options,
  );
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const items: ContextItem[] = [];
  for (const { number, nodeId, overlay } of links) {
    const node = byId.get(nodeId);
    if (node === undefined) continue;
    const text = overlay === undefined ? node.text : await memory.texts.read(space, overlay, options);
    items.push({ n: number, id: nodeId, kind: node.kind, title: titleOf(node), text });
  }
  return items;
}

/** Where a memory comes from, as a person would say it. */
export function titleOf(node: GraphNode): string {
  switch (node.kind) {
    case 'semantic': {
      const { title, document, conversation } = node.source;
      return (
        title ??
        document ??
        (node.speaker === undefined ? (conversation ?? node.form) : `${node.speaker}, ${node.validFrom ?? node.recordedAt}`)
      );
    }
    case 'episodic':
      return `an earlier task that ${node.outcome}`;
    case 'procedural':
      return `a ${node.lifecycle} skill`;
  }
}

/** Texts as the query of a search: those that say something, one a line. */
export async function queryOf(
  { texts }: Pick<Memory, 'texts'>,
  space: string,
  parts: readonly Text[],
  options: CallOptions = {},
): Promise<string> {
  const read = await Promise.all(parts.map((part) => textOf(texts, space, part, options)));
  return read.filter((part) => part.trim() !== '').join('\n');
}

/** The words of a text, carried along or kept. */
export async function textOf(texts: Texts, space: string, text: Text, options: CallOptions = {}): Promise<string> {
  return 'engraph:ref' in text ? await texts.read(space, text['engraph:ref'], options) : text['engraph:claim'].text;
}
