import { idOf } from './id.js';
import { meanUnit } from './segmentation.js';
import type { Topic, TurnRef } from './turn.js';
import { dot } from './vector.js';

/**
 * Cosine of mean turn vectors from which a segment continues an open topic. Tuned on the tune set's LoCoMo conversations: runs
 * of 5 turns of one session against runs of neighbouring sessions, where 0.50 to 0.54 tells them apart best, leaving any one
 * conversation out; and not well (balanced accuracy 0.58), since neighbouring sessions share their speakers' concerns. Made for
 * all-MiniLM-L6-v2.
 */
export const JOIN_SIMILARITY = 0.5;

/** A segment of the buffer: the topic it continues, or null, and the topic it opens where it continues none. */
export interface PlacedSegment {
  readonly turns: readonly TurnRef[];
  readonly joins: string | null;
  readonly topicId: string;
}

/** A sensory buffer with its cuts, and what short-term memory holds. */
export interface CutBuffer {
  readonly space: string;
  readonly conversation: string;
  readonly turns: readonly TurnRef[];
  /** Indexes of turns that start a topic; 0 counts where something went before. */
  readonly starts: readonly number[];
  /** The topic of the turn before the first, where it is known. */
  readonly before?: string;
  readonly open: readonly Topic[];
  /** Unit vectors by turn id, of the buffer's and the open topics' turns; one that has none counts for nothing. */
  readonly vectors: ReadonlyMap<string, readonly number[]>;
  /** True: nothing waits behind the last cut. */
  readonly flush: boolean;
}

/**
 * The buffer as segments, each turn in exactly one or in the rest, in order. What follows the last cut waits, unless there is
 * no cut or nothing may wait: a pass always places something. The first segment continues the topic before it where its first turn
 * starts none: where a buffer happens to be full is no border. Else a segment continues the nearest topic at or above
 * `JOIN_SIMILARITY`, among the open ones and those of this pass, but never that of the segment it was just cut from.
 */
export function placeSegments(buffer: CutBuffer): {
  readonly segments: readonly PlacedSegment[];
  readonly rest: readonly TurnRef[];
} {
  const { space, conversation, turns, open, vectors, flush } = buffer;
  const runs = runsOf(turns, buffer.starts);
  const rest = flush || runs.length < 2 ? [] : (runs.pop() ?? []);
  const topics = open.map(({ topicId, turns: own }) => ({ topicId, vectors: vectorsOf(own, vectors) }));
  let { before } = buffer;
  const segments = runs.map((run, at): PlacedSegment => {
    const own = vectorsOf(run, vectors);
    if (at === 0 && before !== undefined && !buffer.starts.includes(0)) return goesOn(run, own, before, topics);
    const near = nearest(
      own,
      topics.filter((topic) => topic.topicId !== before),
    );
    const topicId = idOf('topic', space, conversation, run[0]?.turnId ?? '');
    if (near) near.vectors.push(...own);
    else topics.push({ topicId, vectors: own });
    before = near?.topicId ?? topicId;
    return { turns: run, joins: near?.topicId ?? null, topicId };
  });
  return { segments, rest };
}

/** Under the topic's id even where it has been extracted meanwhile and is open no more. */
function goesOn(
  turns: readonly TurnRef[],
  own: readonly (readonly number[])[],
  topicId: string,
  topics: OpenTopic[],
): PlacedSegment {
  const open = topics.find((topic) => topic.topicId === topicId);
  if (open) open.vectors.push(...own);
  else topics.push({ topicId, vectors: [...own] });
  return { turns, joins: open === undefined ? null : topicId, topicId };
}

interface OpenTopic {
  readonly topicId: string;
  readonly vectors: (readonly number[])[];
}

function nearest(own: readonly (readonly number[])[], topics: readonly OpenTopic[]): OpenTopic | undefined {
  if (own.length === 0) return undefined;
  const mean = meanUnit(own);
  let best: OpenTopic | undefined;
  let most = JOIN_SIMILARITY;
  for (const topic of topics) {
    const cosine = topic.vectors.length === 0 ? -1 : dot(mean, meanUnit(topic.vectors));
    if (cosine < most || (best && cosine === most)) continue;
    best = topic;
    most = cosine;
  }
  return best;
}

function runsOf(turns: readonly TurnRef[], starts: readonly number[]): (readonly TurnRef[])[] {
  const cuts = [...new Set(starts)].filter((at) => at > 0 && at < turns.length).sort((a, b) => a - b);
  return turns.length === 0 ? [] : [0, ...cuts].map((from, at) => turns.slice(from, cuts[at] ?? turns.length));
}

const vectorsOf = (turns: readonly TurnRef[], vectors: ReadonlyMap<string, readonly number[]>): (readonly number[])[] =>
  turns.flatMap(({ turnId }) => {
    const vector = vectors.get(turnId);
    return vector === undefined ? [] : [vector];
  });
