import { InMemoryVectorStore } from '../src/adapters/in-memory.js';
import { createActivities, memoryOver } from '../src/compose.js';
import type { Embedder } from '../src/ports/embedder.js';
import type { LanguageModel } from '../src/ports/language-model.js';
import type { VectorStore } from '../src/ports/vector-store.js';
import { Stage } from './rehearsal.js';

/** A stage over a copy of a space in this process's memory: what is rehearsed there leaves nothing in the store. */
export async function openStage(from: VectorStore, space: string, embedder: Embedder, model: LanguageModel): Promise<Stage> {
  const copy = new InMemoryVectorStore();
  await copy.ensure(embedder.identity);
  let after: string | undefined;
  do {
    const page = await from.scan(space, {
      with: { vector: true, terms: true },
      limit: 1_000,
      ...(after !== undefined && { after }),
    });
    await copy.upsert(
      space,
      page.points.map(({ revision: _revision, ...point }) => ({ point })),
    );
    after = page.next;
  } while (after !== undefined);
  const memory = memoryOver(copy, embedder);
  return new Stage(space, memory, createActivities(memory, model));
}
