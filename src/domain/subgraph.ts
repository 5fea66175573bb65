import type { LinkReason, StepLink } from './graph.js';

/** What of a step link says what the step is shown: all that an activity needs to know of it. */
export interface ShownLink {
  readonly number: number;
  readonly nodeId: string;
  /** The record that holds the rewritten text, where the step sees the node reshaped. */
  readonly overlay?: string;
}

/** A rewritten node that only the running step sees. */
export interface Overlay {
  readonly number: number;
  readonly ref: string;
  readonly direction: 'finer' | 'coarser';
}

/** A link that a repair takes away, and why. `score` is the similarity to the task. */
export interface Removal {
  readonly number: number;
  readonly score: number;
  readonly reason: LinkReason;
}

/** What one repair changes in what a step sees. */
export interface Change {
  readonly added: readonly StepLink[];
  readonly removed: readonly Removal[];
  /** Nodes shown by an overlay that they were not shown by before. */
  readonly reshaped: readonly Overlay[];
}

/** The links as an activity needs them; histories would grow with the rest. */
export const shown = (links: readonly StepLink[]): ShownLink[] =>
  links.map(({ number, nodeId, overlay }) => ({ number, nodeId, ...(overlay !== undefined && { overlay }) }));

/** The links after a change, and the change as acts: what was pruned, reshaped and expanded, in this order. */
export function applyChange(
  links: readonly StepLink[],
  { added, removed, reshaped }: Change,
  round: number,
): { links: StepLink[]; acts: StepLink[] } {
  const pruned = removed.flatMap(({ number, score, reason }): StepLink[] => {
    const link = links.find((one) => one.number === number);
    return link === undefined ? [] : [{ ...link, round, act: 'prunes', score, reason }];
  });
  const gone = new Set(pruned.map(({ number }) => number));
  const rewritten: StepLink[] = [];
  const kept = links
    .filter(({ number }) => !gone.has(number))
    .map((link): StepLink => {
      const overlay = reshaped.find(({ number }) => number === link.number);
      if (overlay === undefined) return link;
      const act: StepLink = { ...link, round, act: 'reshapes', reason: overlay.direction, overlay: overlay.ref };
      rewritten.push(act);
      return act;
    });
  return { links: [...kept, ...added], acts: [...pruned, ...rewritten, ...added] };
}

/** The links after a verify call: what it chose in place of what stood of the short list, first in formation, last in an expand. */
export function applyVerified(
  links: readonly StepLink[],
  chosen: readonly StepLink[],
  shortlist: readonly { readonly number: number }[],
): StepLink[] {
  const others = outside(links, shortlist);
  return chosen[0]?.act === 'activates' ? [...chosen, ...others] : [...others, ...chosen];
}

/** The links that a verify call has no say in. */
export function outside(links: readonly StepLink[], shortlist: readonly { readonly number: number }[]): StepLink[] {
  const listed = new Set(shortlist.map(({ number }) => number));
  return links.filter(({ number }) => !listed.has(number));
}
