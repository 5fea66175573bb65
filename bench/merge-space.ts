import { InMemoryVectorStore } from '../src/adapters/in-memory.js';
import { memoryOver, type OpenMemory } from '../src/compose.js';
import { idOf } from '../src/domain/id.js';
import type { Embedder } from '../src/ports/embedder.js';
import type { NewNode } from '../src/store/nodes.js';
import { Speakers } from '../src/store/speakers.js';
import type { Conversation, Observation } from './recall-locomo.js';

const RECORDED_AT = '2026-01-01T00:00:00.000Z';

/** The node of an observation, by its place among those of its conversation. */
export const factIdOf = (conversation: string, place: number): string => idOf('observation', conversation, place);

/** A memory that holds a conversation's observations as facts, each fresh, in a space of the conversation's name. */
export async function observed(conversation: Conversation, embedder: Embedder): Promise<OpenMemory> {
  const store = new InMemoryVectorStore();
  await store.ensure(embedder.identity);
  const memory = memoryOver(store, embedder);
  const { name: space, observations } = conversation;
  await new Speakers(store).add(
    space,
    conversation.turns.map(({ speaker }) => speaker),
  );
  const facts = observations.map((observation, place) => factOf(conversation, observation, place));
  await memory.nodes.insert(space, facts, { recordedAt: RECORDED_AT, token: idOf('bench', space) });
  return memory;
}

/** Said in the order of their turns; LoCoMo's observations have no other place in time. */
function factOf({ name, turns }: Conversation, { text, speaker, turns: sources, at }: Observation, place: number): NewNode {
  const position = turns.findIndex(({ id }) => id === sources[0]);
  return {
    ...{ id: factIdOf(name, place), kind: 'semantic', form: 'fact', text, speaker, role: 'user', validFrom: at, status: 'fresh' },
    source: { conversation: name, turns: sources, ...(position >= 0 && { position }) },
    edges: { derivedFrom: sources },
  };
}
