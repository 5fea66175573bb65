import { compareFacts } from '../domain/fact-order.js';
import type { SemanticNode } from '../domain/graph.js';
import type { CandidateLink } from '../domain/update-queue.js';
import type { CallOptions, StoredPoint, VectorStore } from '../ports/vector-store.js';
import { nodeOf } from './points.js';
import { Records } from './records.js';
import { Versions } from './versions.js';

/** Two facts whose link was cut off. */
export type PendingLink = Pick<CandidateLink, 'earlier' | 'later' | 'weight'>;

/** Merges, one after the other, that a link is followed along. */
const MOST_HOPS = 16;

/** Links that were cut off since their queue would have grown too large, until a later plan takes them and they are judged. */
export class PendingLinks {
  readonly #records: Records;
  readonly #versions: Versions;

  constructor(store: VectorStore) {
    this.#versions = new Versions(store);
    this.#records = new Records(store, 'pending_link');
  }

  /** Keeps these; one that is kept already has the weight that it is given now. */
  async add(space: string, links: readonly PendingLink[], options: CallOptions = {}): Promise<void> {
    const records = links.map(({ earlier, later, weight }) => [keyOf({ earlier, later }), { earlier, later, weight }] as const);
    await this.#records.put(space, new Map(records), options);
  }

  /**
   * All of a space between facts that are current. Where one was superseded since, what stands for it takes its place, and the
   * record is changed accordingly; a link that has lost an end, or joins a fact to itself, is gone.
   */
  async resolve(space: string, options: CallOptions = {}): Promise<{ links: PendingLink[]; facts: SemanticNode[] }> {
    const kept = await this.list(space, options);
    const standing = await this.#standing(
      space,
      kept.flatMap(({ earlier, later }) => [earlier, later]),
      options.signal,
    );
    const links = new Map<string, PendingLink>();
    const passed: PendingLink[] = [];
    for (const link of kept) {
      const [a, b] = [standing.get(link.earlier), standing.get(link.later)];
      if (a === undefined || b === undefined || a.id === b.id) {
        passed.push(link);
        continue;
      }
      const [earlier, later] = compareFacts(a, b) < 0 ? [a, b] : [b, a];
      const resolved = { earlier: earlier.id, later: later.id, weight: link.weight };
      if (keyOf(resolved) !== keyOf(link)) passed.push(link);
      links.set(keyOf(resolved), resolved);
    }
    await this.add(space, [...links.values()], options);
    await this.remove(space, passed, options);
    return { links: [...links.values()], facts: [...standing.values()] };
  }

  /** All of a space, in the order of their ids. */
  async list(space: string, options: CallOptions = {}): Promise<PendingLink[]> {
    const links: PendingLink[] = [];
    for await (const { earlier, later, weight } of this.#records.list(space, '', options)) {
      links.push({ earlier: String(earlier), later: String(later), weight: Number(weight) });
    }
    return links;
  }

  /** They were judged; what is not there any more is no failure. */
  async remove(
    space: string,
    links: readonly Pick<PendingLink, 'earlier' | 'later'>[],
    options: CallOptions = {},
  ): Promise<void> {
    for (const link of links) await this.#records.remove(space, keyOf(link), options);
  }

  /** The facts themselves, or what stands for them after any number of merges; by the ids asked. */
  async #standing(space: string, ids: readonly string[], signal: AbortSignal | undefined): Promise<Map<string, SemanticNode>> {
    const standIns = new Map(ids.map((id) => [id, id]));
    for (let hop = 0; hop < MOST_HOPS; hop++) {
      const heirs = await this.#versions.heirs(space, [...new Set(standIns.values())], signal);
      if (heirs.size === 0) break;
      for (const [id, stand] of standIns) standIns.set(id, heirs.get(stand) ?? stand);
    }
    const points = await this.#versions.alive(space, [...standIns.values()], { signal });
    return new Map([...standIns].flatMap(([id, stand]) => factAt(points.get(stand)).map((fact) => [id, fact] as const)));
  }
}

function factAt(point: StoredPoint | undefined): SemanticNode[] {
  const node = point && nodeOf(point);
  return node?.kind === 'semantic' && node.form === 'fact' ? [node] : [];
}

/** Which of the two is the earlier may turn round when one of them is merged. */
const keyOf = ({ earlier, later }: Pick<PendingLink, 'earlier' | 'later'>): string => [earlier, later].sort().join('/');
