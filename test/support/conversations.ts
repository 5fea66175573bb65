import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';

import type { ExtractInput } from '../../activities/contract-conversation.js';
import { createFactActivities, type FactsDeps } from '../../activities/facts.js';
import { InMemoryVectorStore } from '../../src/adapters/in-memory.js';
import { memoryOver, type OpenMemory } from '../../src/compose.js';
import type { SemanticNode } from '../../src/domain/graph.js';
import type { Topic } from '../../src/domain/turn.js';
import type { Compressor } from '../../src/ports/compressor.js';
import type { FactReply, FactsReply } from '../../src/prompts/inputs-facts.js';
import { TurnStore, type TurnToStore } from '../../src/store/turns.js';
import { WordEmbedder } from './word-embedder.js';

/** A memory that nothing was stored in yet. */
export async function freshMemory(): Promise<OpenMemory> {
  const memory = memoryOver(new InMemoryVectorStore(), new WordEmbedder());
  await memory.store.ensure(memory.embedder.identity);
  return memory;
}

/** A turn of the user on 5 January 2024, unless told otherwise. */
export const aTurn = (text: string, more: Partial<TurnToStore> = {}): Omit<TurnToStore, 'sequence'> => ({
  ...{ key: text, role: 'user', text, at: '2024-01-05T10:00:00.000Z', indexed: true },
  ...more,
});

/** Stores turns as a conversation does and returns them as one topic. */
export async function storing(
  memory: OpenMemory,
  turns: readonly Omit<TurnToStore, 'sequence'>[],
  {
    space = 'u1',
    conversation = 's1',
    from = 0,
    topicId = 'topic',
  }: { space?: string; conversation?: string; from?: number; topicId?: string } = {},
): Promise<Topic> {
  const numbered = turns.map((turn, at) => ({ ...turn, sequence: from + at }));
  const write = { space, conversation, by: `update ${from}`, recordedAt: new Date(Date.UTC(2026, 0, 2, 0, from)).toISOString() };
  const kept = await new TurnStore(memory.store, memory.embedder).store(numbered, write);
  return { topicId, turns: kept.map(({ turnId, sequence, tokens }) => ({ turnId, sequence, tokens })) };
}

/** A batch of these topics. */
export const aBatch = (topics: readonly Topic[], more: Partial<ExtractInput> = {}): ExtractInput => ({
  ...{ space: 'u1', conversation: 's1', batchId: 'batch', topics, read: 'both', keepShare: 1 },
  ...more,
});

/** A reply in the form that is asked for, with one section of these facts. */
export const factsReply = (facts: readonly (Partial<FactReply> & { text: string })[], section = 1): FactsReply => ({
  topics: [
    {
      section,
      title: 'Pets',
      summary: 'About pets.',
      facts: facts.map((fact) => ({ turn: 1, saidBy: 'user', when: null, ...fact })),
    },
  ],
});

/** Leaves out all words in lower case with fewer than five letters. */
export const CUTTING: Compressor = {
  name: 'cutting',
  compress: (texts) =>
    Promise.resolve(texts.map((text) => ({ text: text.replace(/\b[a-z]{1,4}\b ?/gu, '').trim() || text, achieved: 0.5 }))),
};

type FactActivities = ReturnType<typeof createFactActivities>;

/** The activities that draw facts, each run as a worker runs it. */
export function factActivities(memory: OpenMemory, rest: Pick<FactsDeps, 'model'> & Partial<FactsDeps>): FactActivities {
  const activities = createFactActivities({
    compressor: CUTTING,
    now: () => new Date('2026-02-01T00:00:00Z'),
    ...memory,
    ...rest,
  });
  const quiet = { logger: new DefaultLogger('ERROR') };
  const run =
    <In, Out>(activity: (input: In) => Promise<Out>) =>
    (input: In) =>
      new MockActivityEnvironment({}, quiet).run<[In], Out, (input: In) => Promise<Out>>(activity, input);
  return {
    extractFacts: run(activities.extractFacts),
    publishFacts: run(activities.publishFacts),
    parkBatch: run(activities.parkBatch),
  };
}

/** Facts (or summaries) of a space, by text. */
export async function extracted({ nodes }: OpenMemory, form: 'fact' | 'summary' = 'fact', space = 'u1'): Promise<SemanticNode[]> {
  const found: SemanticNode[] = [];
  for await (const node of nodes.scan(space, { forms: [form] })) found.push(node as SemanticNode);
  return found.sort((a, b) => (a.text < b.text ? -1 : 1));
}
