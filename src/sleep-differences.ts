import type { VectorStore } from './ports/vector-store.js';
import { JudgedQueues } from './store/judged-queues.js';

/** One change that a sleep made, or in a dry run would have made, with the texts that a person compares. */
export interface Difference {
  readonly act: 'insert' | 'revise' | 'retire';
  readonly nodeId: string;
  readonly before?: string;
  readonly after?: string;
  /** What stands in the place of what was retired. */
  readonly heir?: string;
  /** Why it was retired: merged, superseded, contradicted. */
  readonly why?: string;
}

/** What a run of a space decided to change, in the order of its queues; empty where it changed nothing or never was. */
export async function differencesOf(store: VectorStore, space: string, runId: string): Promise<Difference[]> {
  const queues = await new JudgedQueues(store).list(space, runId);
  return queues.flatMap(({ changes }) => {
    const texts = new Map(changes.flatMap((change) => (change.act === 'retire' ? [] : [[change.after.id, change.after.text]])));
    return changes.map((change): Difference => {
      if (change.act === 'insert') return { act: 'insert', nodeId: change.after.id, after: change.after.text };
      const { id: nodeId, text: before } = change.before;
      if (change.act === 'revise') return { act: 'revise', nodeId, before, after: change.after.text };
      const heir = texts.get(change.heir);
      return { act: 'retire', nodeId, before, why: change.why, ...(heir !== undefined && { heir }) };
    });
  });
}
