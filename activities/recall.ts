import type { Embedder } from '../src/ports/embedder.js';
import type { TextActivities } from './contract.js';
import { working } from './failures.js';
import { formSubgraph, type Memory } from './formation.js';
import { commitEpisode } from './records.js';
import { applyEdits } from './repair.js';

/** The activities of a task that search, embed and write; the matter of each is a plain function beside. */
export function createRecallActivities(
  memory: Memory & { readonly embedder: Embedder; readonly now: () => Date },
): TextActivities {
  return {
    retrieve: (input) => working((signal) => formSubgraph(memory, input, { signal })),
    repair: (input) => working((signal) => applyEdits(memory, input, { signal })),
    record: (input) => working((signal) => commitEpisode(memory, input, memory.now(), { signal })),
  };
}
