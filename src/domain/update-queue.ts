/** Two facts that a sleep holds against each other. Ids of nodes; `later` is the one that may change the other. */
export interface CandidateLink {
  readonly earlier: string;
  readonly later: string;
  /** How strongly they hang together, 0 to 1; a component that is too large is cut where this is least. */
  readonly weight: number;
  /**
   * What made them candidates: nearness and what they say, a rare entity that both name, or a link cut off by an earlier plan.
   * `beside`: near enough to be shown to a model that is asked about the later one anyway, and not worth a question by itself.
   */
  readonly by: 'near' | 'entity' | 'pending' | 'beside';
}

/** A fact as a plan saw it. What is judged is this version, whatever happens meanwhile. */
export interface QueuedFact {
  readonly nodeId: string;
  readonly version: number;
  readonly fresh: boolean;
}

/**
 * One update queue [LightMem]: a connected component of the candidate graph, at most 16 facts, in time order. Verdicts on it
 * touch nothing outside it, so that queues may be run at once, in any order, by any number of lanes.
 */
export interface UpdateQueue {
  readonly facts: readonly QueuedFact[];
  readonly links: readonly CandidateLink[];
}

/** What a target may be judged to do to the candidates named, all of them earlier than it (design.md 3.3). */
export const VERDICTS = ['keep', 'merge', 'supersede', 'contradict', 'abstract', 'relate'] as const;
export type VerdictKind = (typeof VERDICTS)[number];

/** How often each verdict was given; `merge` counts those of a model, merges without one are counted apart. */
export type VerdictCounts = Readonly<Record<VerdictKind, number>>;

export const NO_VERDICTS: VerdictCounts = { keep: 0, merge: 0, supersede: 0, contradict: 0, abstract: 0, relate: 0 };
