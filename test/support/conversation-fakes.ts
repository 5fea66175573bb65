import type { ConversationActivities, ExtractInput, Sensed, SenseInput } from '../../activities/contract-conversation.js';
import { idOf } from '../../src/domain/id.js';

/** What the fakes were asked, in order. */
export interface Heard {
  readonly sensed: SenseInput[];
  readonly extracted: ExtractInput[];
  readonly published: ExtractInput[];
  readonly parked: (ExtractInput & { kind: string; reason: string })[];
}

type Faked = Pick<ConversationActivities, 'senseTopics' | 'extractFacts' | 'publishFacts' | 'parkBatch'>;

/**
 * The activities behind a conversation's buffers, without a model: segments of `segmentTurns` turns, one fact a turn. What is
 * heard twice under one batch id counts once, as the real ones do.
 */
export function conversationFakes({ segmentTurns = 2, ...own }: { segmentTurns?: number } & Partial<Faked> = {}): {
  heard: Heard;
  activities: Faked;
} {
  const heard: Heard = { sensed: [], extracted: [], published: [], parked: [] };
  const once = <T extends { batchId: string }>(list: T[], input: T): void => {
    if (!list.some(({ batchId }) => batchId === input.batchId)) list.push(input);
  };
  return {
    heard,
    activities: {
      senseTopics: (input) => {
        heard.sensed.push(input);
        return own.senseTopics ? own.senseTopics(input) : Promise.resolve(cut(input, segmentTurns));
      },
      extractFacts: async (input) => {
        const told = own.extractFacts ? await own.extractFacts(input) : undefined;
        once(heard.extracted, input);
        const facts = input.topics.flatMap(({ turns }) => turns).length;
        const spent = { calls: 1, inputTokens: 100, outputTokens: 10, model: 'fake' };
        return told ?? { facts, summaries: input.topics.length, refused: [], unplaced: 0, spent };
      },
      publishFacts: async (input) => {
        await own.publishFacts?.(input);
        once(heard.published, input);
        return { facts: input.topics.flatMap(({ turns }) => turns).length, summaries: input.topics.length };
      },
      parkBatch: async (input) => {
        await own.parkBatch?.(input);
        once(heard.parked, input);
      },
    },
  };
}

/** Whole segments of so many turns; what is left waits, unless everything is to go. */
function cut({ space, turns, flush }: SenseInput, size: number): Sensed {
  const whole = flush ? turns.length : turns.length - (turns.length % size || size);
  const segments = [];
  for (let from = 0; from < whole; from += size) {
    const some = turns.slice(from, Math.min(from + size, whole));
    segments.push({ turns: some, joins: null, topicId: idOf('fake topic', space, some[0]?.turnId ?? '') });
  }
  return { segments, rest: turns.slice(whole) };
}

/** The turns of batches, in the order in which they came. */
export const turnsIn = (batches: readonly ExtractInput[]): string[] =>
  batches.flatMap(({ topics }) => topics.flatMap(({ turns }) => turns.map(({ turnId }) => turnId)));
