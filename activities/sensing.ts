import { placeSegments } from '../src/domain/topics.js';
import type { SensedTurn, Segmenter } from '../src/ports/segmenter.js';
import type { NodeStore } from '../src/store/nodes.js';
import type { ConversationActivities } from './contract-conversation.js';
import { working } from './failures.js';

export interface SensingDeps {
  readonly nodes: NodeStore;
  readonly segmenter: Segmenter;
}

/** Roles whose turns answer: no topic starts with one. */
const ANSWERING: ReadonlySet<string> = new Set(['assistant', 'tool']);

/**
 * Sensory memory's activity. Turns are read by id; one that is gone meanwhile (forgotten) stays with the turns before it.
 * It writes nothing, and the same buffer over the same store is cut in the same way.
 */
export function createSensingActivities({ nodes, segmenter }: SensingDeps): Pick<ConversationActivities, 'senseTopics'> {
  return {
    senseTopics: (input) =>
      working(async (signal) => {
        const { space, turns, open, before } = input;
        const ids = turns.map(({ turnId }) => turnId);
        const passed = before?.turnIds ?? [];
        const near = open.flatMap((topic) => topic.turns.map(({ turnId }) => turnId));
        const vectors = await nodes.vectors(space, [...new Set([...passed, ...ids, ...near])], { signal });
        const read = await nodes.read(space, [...passed, ...ids], { signal });
        const known = new Map(read.map((node) => [node.id, node]));
        const sensed = [...passed, ...ids].flatMap((turnId, place): { at: number; turn: SensedTurn }[] => {
          const at = place - passed.length;
          const node = known.get(turnId);
          const vector = vectors.get(turnId);
          if (node?.kind !== 'semantic' || vector === undefined) return [];
          const { text, role = '', speaker = role } = node;
          return [{ at, turn: { text, vector, speaker, mayOpen: at >= 0 && !ANSWERING.has(role) } }];
        });
        const starts = await segmenter.starts(
          sensed.map(({ turn }) => turn),
          { signal },
        );
        const cuts = starts.map((start) => sensed[start]?.at ?? 0);
        return placeSegments({
          ...{ space, conversation: input.conversation, turns, open, flush: input.flush, starts: cuts, vectors },
          ...(before !== undefined && { before: before.topicId }),
        });
      }),
  };
}
