import type { CandidateLink } from './update-queue.js';

/** Facts that one update queue holds at most (design.md 3.3). */
export const MOST_FACTS = 16;

/** A queue before its facts are looked up: ids in the order given, and the links among them. */
export interface LinkedQueue {
  readonly facts: readonly string[];
  readonly links: readonly CandidateLink[];
}

/** Queues, and the links that no queue could take. */
export interface Queues {
  readonly queues: readonly LinkedQueue[];
  readonly cut: readonly CandidateLink[];
}

/**
 * The connected components of the candidate graph as update queues, in the order of their first facts; `order` is the time order
 * of all facts. What would grow larger than `most` is cut at its weakest links: facts are joined along the strongest link first,
 * and one that would join too many is cut. What stands beside a target is never cut but left out, where its target's own links
 * are cut, or there is no room for it. Pure, and the same for the same links in whatever order.
 */
export function updateQueues(order: readonly string[], links: readonly CandidateLink[], most = MOST_FACTS): Queues {
  const place = new Map(order.map((id, at) => [id, at]));
  const placeOf = (id: string): number => place.get(id) ?? Infinity;
  const strongest = [...links].sort(
    (a, b) => b.weight - a.weight || placeOf(a.later) - placeOf(b.later) || placeOf(a.earlier) - placeOf(b.earlier),
  );
  const groups = new Groups(most);
  const telling = strongest.filter(({ by }) => by !== 'beside');
  for (const link of telling) groups.join(link.earlier, link.later);
  const isInside = ({ earlier, later }: CandidateLink): boolean => groups.of(earlier) === groups.of(later);
  const inside = telling.filter(isInside);
  const targets = new Set(inside.map(({ later }) => later));
  const beside = strongest.filter(({ by, later }) => by === 'beside' && targets.has(later));
  for (const link of beside) groups.join(link.earlier, link.later);

  const queues = new Map<string, { facts: Set<string>; links: CandidateLink[] }>();
  const inOrder = [...inside, ...beside.filter(isInside)].sort(
    (a, b) => placeOf(a.later) - placeOf(b.later) || placeOf(a.earlier) - placeOf(b.earlier),
  );
  for (const link of inOrder) {
    const name = groups.of(link.later);
    const queue = queues.get(name) ?? { facts: new Set(), links: [] };
    queue.facts.add(link.earlier).add(link.later);
    queue.links.push(link);
    queues.set(name, queue);
  }
  const sorted = [...queues.values()].map((queue) => ({
    facts: [...queue.facts].sort((a, b) => placeOf(a) - placeOf(b)),
    links: queue.links,
  }));
  return {
    queues: sorted.sort((a, b) => placeOf(a.facts[0] ?? '') - placeOf(b.facts[0] ?? '')),
    cut: telling.filter((link) => !isInside(link)),
  };
}

/** Disjoint groups that grow by being joined, up to a size. */
class Groups {
  readonly #most: number;
  readonly #names = new Map<string, string>();
  readonly #members = new Map<string, string[]>();

  constructor(most: number) {
    this.#most = most;
  }

  of(id: string): string {
    return this.#names.get(id) ?? id;
  }

  join(a: string, b: string): void {
    const [into, from] = [this.of(a), this.of(b)];
    if (into === from) return;
    const [some, more] = [this.#members.get(into) ?? [into], this.#members.get(from) ?? [from]];
    if (some.length + more.length > this.#most) return;
    for (const id of more) this.#names.set(id, into);
    this.#members.set(into, [...some, ...more]);
    this.#members.delete(from);
  }
}
