import { isDuplicate, wordingOfBoth } from './duplicate.js';
import { compareFacts } from './fact-order.js';
import type { Overlay } from './reconciliation.js';
import type { UpdateQueue } from './update-queue.js';

/** The facts of a queue that may change others: the later ends of its links, in time order. */
export function targetsOf({ links }: UpdateQueue, overlay: Overlay): string[] {
  const targets = new Set(links.map(({ later }) => later));
  return [...targets].sort((a, b) => compareFacts(overlay.fact(a), overlay.fact(b)));
}

/**
 * What a target is held against: the earlier ends of its links, each as what stands for it now, each once, in time order. Two
 * facts that no link joins, that are both known from earlier sleeps and say what they said then, were judged then.
 */
export function candidatesOf({ facts, links }: UpdateQueue, overlay: Overlay, target: string): string[] {
  const fresh = new Set(facts.filter((fact) => fact.fresh).map(({ nodeId }) => nodeId));
  const direct = new Set(links.filter(({ later }) => later === target).map(({ earlier }) => earlier));
  const candidates = new Set([...direct].map((earlier) => overlay.standing(earlier)));
  const isNew = (id: string): boolean => direct.has(id) || fresh.has(id) || fresh.has(target) || overlay.wordedBy(id) !== id;
  return [...candidates]
    .filter((id) => id !== target && isNew(id))
    .sort((a, b) => compareFacts(overlay.fact(a), overlay.fact(b)));
}

/**
 * Merges the target into the candidate that says the same, without a model; the nearest of several, of equally near ones the
 * earliest. `vectors` are those of the planned facts: a wording of the model's has none, and only an equal one is the same.
 * Returns whether there was one.
 */
export function mergeDuplicate(
  overlay: Overlay,
  target: string,
  candidates: readonly string[],
  cosine: (a: string, b: string) => number,
): boolean {
  const fact = overlay.fact(target);
  const near = candidates
    .map((id) => ({ id, cosine: cosineOf(overlay, target, id, cosine) }))
    .filter(({ id, cosine: nearness }) => {
      const other = overlay.fact(id);
      return other.abstract !== true && fact.abstract !== true && isDuplicate(other, fact, nearness);
    });
  const [nearest] = near.sort((a, b) => b.cosine - a.cosine);
  if (nearest === undefined) return false;
  overlay.merge(target, nearest.id, { text: wordingOfBoth(overlay.fact(nearest.id).text, fact.text) });
  return true;
}

function cosineOf(overlay: Overlay, a: string, b: string, cosine: (a: string, b: string) => number): number {
  if (overlay.fact(a).text === overlay.fact(b).text) return 1;
  const [left, right] = [overlay.wordedBy(a), overlay.wordedBy(b)];
  return left === undefined || right === undefined ? 0 : cosine(left, right);
}
