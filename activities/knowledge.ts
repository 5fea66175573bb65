import type { VectorStore } from '../src/ports/vector-store.js';
import { Documents, type LearningPlan } from '../src/store/documents.js';
import type { NodeStore } from '../src/store/nodes.js';
import type { Texts } from '../src/store/texts.js';
import type { KnowledgeActivities, PlanKey } from './contract-knowledge.js';
import { working } from './failures.js';

export interface KnowledgeDeps {
  readonly store: VectorStore;
  readonly nodes: NodeStore;
  readonly texts: Texts;
}

/** The activities that learn a document; the matter of each is in `Documents`. What is long travels by reference. */
export function createKnowledgeActivities({ store, nodes, texts }: KnowledgeDeps): KnowledgeActivities {
  const documents = new Documents(store, nodes);
  const planOf = async ({ space, planRef }: PlanKey, signal: AbortSignal): Promise<LearningPlan> =>
    JSON.parse(await texts.read(space, planRef, { signal })) as LearningPlan;
  return {
    planDocument: (input) =>
      working(async (signal) => {
        const known = await documents.known(input, { signal });
        if (known !== undefined) return { unchanged: true, chunks: known, fresh: 0, kept: known, moved: 0, gone: 0 };
        const plan = await documents.plan(input, { signal });
        return {
          unchanged: false,
          planRef: await texts.keep(input.space, JSON.stringify(plan), { signal }),
          chunks: plan.chunks,
          fresh: plan.fresh.length,
          kept: plan.chunks - plan.fresh.length,
          moved: plan.moved,
          gone: plan.gone.length,
        };
      }),
    insertChunks: (input) =>
      working(async (signal) => {
        const { from, count, at: recordedAt, token } = input;
        const { fresh } = await planOf(input, signal);
        await documents.insert(input, fresh.slice(from, from + count), { recordedAt, token, signal });
      }),
    placeChunks: (input) => working((signal) => documents.place(input, { token: input.token, signal })),
    retireChunks: (input) =>
      working(async (signal) => {
        const { space, at, token } = input;
        await nodes.retire(space, (await planOf(input, signal)).gone, { at, token, signal });
      }),
    recordDocument: (input) =>
      working(async (signal) => {
        await documents.record(input, (await planOf(input, signal)).chunks, input.at, { signal });
      }),
  };
}
