import { activityInfo } from '@temporalio/activity';

import type { SemanticNode } from '../src/domain/graph.js';
import { idOf } from '../src/domain/id.js';
import { withoutContext } from '../src/domain/recalled.js';
import { NOTHING_SPENT } from '../src/domain/refinement.js';
import { isRead, saysNothing, type Role } from '../src/domain/turn.js';
import type { Compressor } from '../src/ports/compressor.js';
import type { VectorStore } from '../src/ports/vector-store.js';
import { factsPrompt, parseFacts } from '../src/prompts/facts.js';
import type { FactsSection } from '../src/prompts/inputs-facts.js';
import { Facts, type Extraction } from '../src/store/facts.js';
import type { NodeStore } from '../src/store/nodes.js';
import { Parked } from '../src/store/parked.js';
import { ask, type Asking } from './asking.js';
import type { ConversationActivities, Extracted, ExtractInput } from './contract-conversation.js';
import { acceptFacts, type ShownSection, type ShownTurn } from './extraction.js';
import { working } from './failures.js';
import { withoutRecalled } from './repetition.js';

/** What the activities that draw facts work with. */
export type FactsDeps = Asking & {
  readonly store: VectorStore;
  readonly nodes: NodeStore;
  readonly compressor: Compressor;
  readonly now: () => Date;
};

/**
 * Long-term memory of conversations [LightMem]: one question for a whole batch, its answer kept before it is used, what is
 * accepted of it kept before it is published. Each may be repeated at any point and does nothing twice.
 */
export function createFactActivities(
  deps: FactsDeps,
): Pick<ConversationActivities, 'extractFacts' | 'publishFacts' | 'parkBatch'> {
  const facts = new Facts(deps.store, deps.nodes);
  const parked = new Parked(deps.store);
  return {
    extractFacts: (input) =>
      working(async (signal) => {
        const kept = await facts.find(input, { signal });
        if (kept !== undefined) return told(kept);
        return told(await facts.keep(input, await extract(deps, input, signal), { signal }));
      }),
    publishFacts: (input) =>
      working(async (signal) => {
        const { topics } = input;
        const published = await facts.publish(input, { recordedAt: deps.now().toISOString(), topics, signal });
        return { facts: published.facts.length, summaries: published.summaries.length };
      }),
    parkBatch: (input) =>
      working(async (signal) => {
        const drafts: string[] = [];
        for (const batchId of draftsOf(input)) {
          if ((await deps.drafts.find(input.space, batchId, { signal })) !== undefined) drafts.push(batchId);
        }
        await parked.park({ ...input, at: deps.now().toISOString(), drafts }, { signal });
      }),
  };
}

async function extract(deps: FactsDeps, input: ExtractInput, signal: AbortSignal): Promise<Extraction> {
  const { space } = input;
  const sections = await sectionsOf(deps, input, signal);
  const shown = await shownTexts(deps, sections, input.keepShare, signal);
  const nothing = { facts: [], summaries: [], refused: [], repeated: 0, spent: { ...NOTHING_SPENT, model: deps.model.name } };
  if (shown.length === 0) return nothing;
  const question = { space, batchId: questionId(input), attempt: activityInfo().attempt, signal };
  const { reply, spent } = await ask(deps, question, factsPrompt({ sections: shown }), parseFacts);
  const accepted = acceptFacts(reply, sections);
  const turns = sections.flatMap(({ turns: some }) => some.map(({ node }) => node));
  const fresh = await withoutRecalled(deps.store, space, accepted.facts, turns, { signal });
  return { ...accepted, facts: fresh, repeated: accepted.facts.length - fresh.length, spent };
}

const questionId = ({ conversation, batchId, again }: ExtractInput): string =>
  idOf('call', conversation, batchId, 'facts', ...(again === undefined ? [] : [again]));

/** The drafts that the batch's one question may have left: itself, with more room, repaired, repaired with more room. */
function draftsOf(input: ExtractInput): string[] {
  const first = questionId(input);
  const repair = idOf(first, 'repair');
  return [first, idOf(first, 'longer'), repair, idOf(repair, 'longer')];
}

/** Turns by their place in the batch, which no attempt changes: a turn forgotten meanwhile leaves its number unused. */
async function sectionsOf(deps: FactsDeps, { space, topics, read }: ExtractInput, signal: AbortSignal): Promise<ShownSection[]> {
  const ids = topics.flatMap(({ turns }) => turns.map(({ turnId }) => turnId));
  const nodes = new Map((await deps.nodes.read(space, ids, { signal })).map((node) => [node.id, node]));
  const numbers = new Map(ids.map((id, at) => [id, at + 1]));
  const sections = topics.map(({ topicId, turns }, at) => ({
    ...{ n: at + 1, topicId },
    turns: turns.flatMap(({ turnId }): ShownTurn[] => {
      const node = nodes.get(turnId);
      const isShown = node?.kind === 'semantic' && isRead(node.role as Role, read) && !saysNothing(withoutContext(node.text));
      return isShown ? [{ n: numbers.get(turnId) ?? 0, node }] : [];
    }),
  }));
  return sections.filter(({ turns }) => turns.length > 0);
}

/** What the model reads. Rules quote it, so that for them it stays whole. */
async function shownTexts(
  { model, compressor }: FactsDeps,
  sections: readonly ShownSection[],
  keepShare: number,
  signal: AbortSignal,
): Promise<FactsSection[]> {
  const texts = sections.flatMap(({ turns }) => turns.map(({ node }) => withoutContext(node.text)));
  const short = keepShare < 1 && model.isLanguageModel ? await compressor.compress(texts, keepShare, { signal }) : undefined;
  const read = (short?.map(({ text }) => text) ?? texts)[Symbol.iterator]();
  return sections.map(({ n, turns }) => ({
    n,
    turns: turns.map((turn) => ({ ...shownAs(turn.node), n: turn.n, text: read.next().value ?? '' })),
  }));
}

function shownAs({ role = 'user', speaker, validFrom: at }: SemanticNode) {
  return { role, ...(speaker !== undefined && { speaker }), ...(at !== undefined && { at }) };
}

function told({ facts, summaries, refused, repeated, spent }: Extraction): Extracted {
  return {
    ...{ facts: facts.length, summaries: summaries.length, refused, repeated, spent },
    unplaced: facts.filter(({ unplaced }) => unplaced).length,
  };
}
