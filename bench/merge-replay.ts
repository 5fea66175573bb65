import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';

import { planQueues } from '../activities/planning.js';
import { createActivities, type OpenMemory } from '../src/compose.js';
import { EngraphError } from '../src/domain/failure.js';
import type { SemanticNode } from '../src/domain/graph.js';
import { dot } from '../src/domain/vector.js';
import type { Embedder } from '../src/ports/embedder.js';
import type { LanguageModel } from '../src/ports/language-model.js';
import { observed } from './merge-space.js';
import { bm25Over, cosines, weightedSum } from './recall-baselines.js';
import type { Conversation } from './recall-locomo.js';

/** A fact of a store that is asked, with the turns that it leads to. */
interface Asked {
  readonly text: string;
  readonly turns: readonly string[];
  readonly vector: readonly number[];
}

/** How one store did: what of it was left, and the evidence found through the sources of the first ten. */
export interface Replayed {
  readonly before: number;
  readonly facts: number;
  readonly questions: number;
  /** Sum over questions of the share of evidence among the sources of the first ten facts. */
  readonly byFacts: number;
  /** The same among the first ten turns that the facts lead to, in their order: a fact with many sources has no advantage. */
  readonly byTurns: number;
}

/** How a store's facts are made fewer before it is asked. */
export type Rule = (conversation: Conversation, embedder: Embedder) => Promise<Asked[]>;

/** Nothing is merged. */
export const untouched: Rule = async ({ observations }, embedder) => {
  const vectors = await embedder.embed(observations.map(({ text }) => text));
  return observations.map(({ text, turns }, at) => ({ text, turns, vector: vectors[at] ?? [] }));
};

/** In time order each into the nearest kept one of its speaker at the cosine or more: sources united, or the newcomer dropped. */
export const byCosine =
  (threshold: number, { drop = false } = {}): Rule =>
  async (conversation, embedder) => {
    const asked = await untouched(conversation, embedder);
    const order = conversation.observations
      .map(({ at, speaker }, place) => ({ at, speaker, place }))
      .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : a.place - b.place));
    const kept: (Asked & { speaker: string })[] = [];
    for (const { place, speaker } of order) {
      const fact = asked[place] as Asked;
      const near = kept
        .map((one, at) => ({ one, at, cosine: one.speaker === speaker ? dot(one.vector, fact.vector) : -1 }))
        .sort((a, b) => b.cosine - a.cosine)[0];
      if (near === undefined || near.cosine < threshold) kept.push({ ...fact, speaker });
      else if (!drop) kept[near.at] = { ...near.one, turns: [...new Set([...near.one.turns, ...fact.turns])] };
    }
    return kept;
  };

/** What a sleep of the product leaves where no model says anything: its own plans, queues, merges and sources. */
export const slept: Rule = async (conversation, embedder) => {
  const memory = await observed(conversation, embedder);
  const { name: space } = conversation;
  await sleep(memory, space);
  const facts: SemanticNode[] = [];
  for await (const node of memory.nodes.scan(space, { forms: ['fact'] })) facts.push(node as SemanticNode);
  const vectors = await memory.nodes.vectors(
    space,
    facts.map(({ id }) => id),
  );
  return facts.map(({ id, text, edges }) => ({ text, turns: edges.derivedFrom ?? [], vector: vectors.get(id) ?? [] }));
};

/** Keeps everything, so that whatever is merged was merged without a model. */
const KEEPER: LanguageModel = {
  name: 'keeper',
  isLanguageModel: true,
  complete: () =>
    Promise.resolve({
      text: JSON.stringify({ reason: 'kept', verdicts: [] }),
      usage: { calls: 1, inputTokens: 0, outputTokens: 0 },
    }),
  close: () => Promise.resolve(),
};

async function sleep(memory: OpenMemory, space: string): Promise<void> {
  const { judgeQueue, applyQueue, settlePlan } = createActivities(memory, KEEPER);
  if (!judgeQueue || !applyQueue || !settlePlan) throw new EngraphError('config', 'the worker has no activities of sleep');
  const quiet = { logger: new DefaultLogger('ERROR') };
  const run = async <In>(activity: (input: In) => Promise<unknown>, input: In): Promise<void> =>
    void (await new MockActivityEnvironment({}, quiet).run<[In], unknown, (input: In) => Promise<unknown>>(activity, input));
  const key = { space, runId: `replay ${space}` };
  let next: string | undefined;
  for (let plan = 0; plan === 0 || next !== undefined; plan++) {
    const planned = await planQueues(memory, { ...key, plan, planFacts: 10_000, ...(next !== undefined && { after: next }) });
    for (const queue of planned.queues.keys()) {
      await run(judgeQueue, { ...key, plan, queue });
      await run(applyQueue, { ...key, plan, queue });
    }
    await run(settlePlan, { ...key, plan });
    next = planned.next;
  }
}

/** Asks a conversation's questions of its facts, ranked by half MiniLM and half BM25 (facts on LoCoMo, the recipe of the replay). */
export async function replay(conversation: Conversation, embedder: Embedder, rule: Rule): Promise<Replayed> {
  const facts = await rule(conversation, embedder);
  const words = bm25Over(facts.map(({ text }) => text));
  const asked = await embedder.embed(conversation.questions.map(({ text }) => text));
  let [byFacts, byTurns] = [0, 0];
  for (const [at, { text, evidence }] of conversation.questions.entries()) {
    const dense = cosines(
      facts.map(({ vector }) => vector),
      asked[at] ?? [],
    );
    const scores = weightedSum(dense, words(text));
    const ranked = scores.map((score, place) => ({ score, place })).sort((a, b) => b.score - a.score || a.place - b.place);
    const share = (turns: ReadonlySet<string>): number => evidence.filter((id) => turns.has(id)).length / evidence.length;
    const sources = (many: number): string[] => ranked.slice(0, many).flatMap(({ place }) => facts[place]?.turns ?? []);
    byFacts += share(new Set(sources(10)));
    byTurns += share(new Set([...new Set(sources(ranked.length))].slice(0, 10)));
  }
  const { observations, questions } = conversation;
  return { before: observations.length, facts: facts.length, questions: questions.length, byFacts, byTurns };
}
