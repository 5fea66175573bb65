import type { SemanticNode } from '../src/domain/graph.js';
import { repeats } from '../src/domain/recalled.js';
import { wordsOf } from '../src/domain/words.js';
import type { CallOptions, VectorStore } from '../src/ports/vector-store.js';
import type { ExtractedFact } from '../src/store/facts.js';
import { indexedText, nodeOf } from '../src/store/points.js';
import { aliveAt } from '../src/store/validity.js';

/** Memories that are looked at for each fact: those that share most words with it. */
const LOOKED_AT = 10;

/**
 * The facts that say something new. What somebody other than the user says counts as recalled, and is no new fact, where its
 * words stand one after the other in one memory that was there before it was said (`repeats`): an assistant that tells what it
 * remembers would otherwise feed its memory with itself. What the user says is always new: said again, it is true again. The
 * turns of the batch itself don't count, since they are what the facts are drawn from.
 */
export async function withoutRecalled(
  store: VectorStore,
  space: string,
  facts: readonly ExtractedFact[],
  turns: readonly SemanticNode[],
  options: CallOptions = {},
): Promise<ExtractedFact[]> {
  const suspects = facts.filter(({ role, text }) => role !== 'user' && wordsOf(text).length > 0);
  if (suspects.length === 0) return [...facts];
  const filter = [
    { field: 'kind' as const, anyOf: ['semantic'] },
    { field: 'nodeId' as const, noneOf: turns.map(({ id }) => id) },
    ...aliveAt(),
  ];
  const asks = suspects.map(({ text }) => ({ sparse: [...new Set(wordsOf(text))], filter, limit: LOOKED_AT }));
  const found = await store.search(space, asks, options);
  const recalled = new Set(
    suspects.filter((fact, at) => {
      const source = turns.find(({ id }) => id === fact.turns[0]);
      return found[at]?.some(({ point }) => {
        const memory = nodeOf(point) as SemanticNode;
        return source !== undefined && isBefore(memory, source) && repeats(fact.text, indexedText(memory));
      });
    }),
  );
  return facts.filter((fact) => !recalled.has(fact));
}

/** By place where both are of one conversation: turns are stored at once, long before the facts of those before them. */
function isBefore(memory: SemanticNode, turn: SemanticNode): boolean {
  const [there, here] = [memory.source.position, turn.source.position];
  const same = memory.source.conversation !== undefined && memory.source.conversation === turn.source.conversation;
  return same && there !== undefined && here !== undefined ? there < here : memory.recordedAt < turn.recordedAt;
}
