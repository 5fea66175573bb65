import { dot } from '../src/domain/vector.js';
import { reconcilePrompt } from '../src/prompts/reconcile.js';
import { tokensOf } from './ingest-observer.js';

/** An entry of LightMem's memory. */
export interface Entry {
  readonly text: string;
  readonly at: string;
  readonly vector: readonly number[];
}

/** How LightMem's offline update chooses [LightMem: top 20, keep 10; the threshold that its paper's runs use]. */
const NEAREST = 20;
const KEPT = 10;
export const THRESHOLD = 0.9;

/** What the model says of an entry and the later ones that are held against it. */
export type Answer = 'delete' | 'ignore';

/**
 * LightMem's offline update, as its rule is published: in each sleep every entry, old or new, that has later entries among its
 * nearest at or above the threshold gets one call with those; what is out of date is deleted. The question is worded as ours,
 * so that the tokens compare.
 */
export function offlineUpdate(
  entries: readonly Entry[],
  answer: (target: Entry, later: readonly Entry[]) => Answer,
): { entries: Entry[]; calls: number; tokens: number } {
  let [calls, tokens] = [0, 0];
  const kept = entries.filter((target) => {
    const later = entries
      .filter((one) => one !== target && one.at >= target.at)
      .map((entry) => ({ entry, cosine: dot(target.vector, entry.vector) }))
      .sort((a, b) => b.cosine - a.cosine)
      .slice(0, NEAREST)
      .slice(0, KEPT)
      .filter(({ cosine }) => cosine >= THRESHOLD)
      .map(({ entry }) => entry);
    if (later.length === 0) return true;
    const memories = later.map(({ text, at }, i) => ({ n: i + 1, text, at }));
    const { system, user } = reconcilePrompt({ fact: { text: target.text, at: target.at }, memories });
    calls += 1;
    tokens += tokensOf(system) + tokensOf(user);
    return answer(target, later) !== 'delete';
  });
  return { entries: kept, calls, tokens };
}
