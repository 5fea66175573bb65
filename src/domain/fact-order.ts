import type { SemanticNode } from './graph.js';

/** What of a fact its place in time is read from. */
export type PlacedFact = Pick<SemanticNode, 'id' | 'validFrom' | 'source'>;

/**
 * Time order of facts, total and the same on every machine: by event time (`validFrom`, ISO 8601 in UTC with milliseconds), a
 * fact without one first; at equal times conversation by conversation, in each by the place of the turn that it was drawn from; then by id.
 */
export function compareFacts(a: PlacedFact, b: PlacedFact): number {
  return (
    byCode(a.validFrom ?? '', b.validFrom ?? '') ||
    byCode(a.source.conversation ?? '', b.source.conversation ?? '') ||
    (a.source.position ?? -1) - (b.source.position ?? -1) ||
    byCode(a.id, b.id)
  );
}

/**
 * Whether `a` came after `b`, so that it may supersede or contradict it (design.md 3.3): a later event time, or the same one
 * (also none) at a later place of the same conversation. A time that only one of the two has says nothing.
 */
export function isStrictlyLater(a: PlacedFact, b: PlacedFact): boolean {
  if (a.validFrom !== b.validFrom) return a.validFrom !== undefined && b.validFrom !== undefined && a.validFrom > b.validFrom;
  const { conversation, position } = a.source;
  const isPlaced = conversation !== undefined && conversation === b.source.conversation;
  return isPlaced && position !== undefined && b.source.position !== undefined && position > b.source.position;
}

const byCode = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
