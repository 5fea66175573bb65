import { EngraphError } from '../domain/failure.js';
import type { SemanticNode } from '../domain/graph.js';
import { idOf } from '../domain/id.js';
import type { JsonObject } from '../domain/json.js';
import type { SelfRecall } from '../domain/sleep.js';
import type { CallOptions, VectorStore } from '../ports/vector-store.js';
import { nodesPointingTo } from './edges.js';
import type { NodeStore } from './nodes.js';
import type { Recall } from './recall.js';
import { Records } from './records.js';
import { abortedBy, BATCH } from './versions.js';

/** A fact must be among the best this many for the text of its turn. */
const BEST = 10;

/** One thing that the gate asks for: a fact, by the text of the turn that it was drawn from. */
interface Ask {
  readonly fact: string;
  readonly turn: string;
}

/** Whose recall is measured, and when. */
export interface Measured {
  readonly space: string;
  readonly runId: string;
  readonly when: 'before' | 'after';
  /** Facts that are asked for, at most. */
  readonly sample: number;
  /** Facts that the run may change: they are asked for first. */
  readonly first: readonly string[];
}

/**
 * Self-recall [design.md 3.3, phase 2]: whether facts are found by the turns they come from, they themselves or what took their
 * place. The sample of a run is drawn once and kept, so that before and after are asked the same.
 */
export class SelfRecallGate {
  readonly #store: VectorStore;
  readonly #nodes: NodeStore;
  readonly #recall: Recall;
  readonly #records: Records;

  constructor(store: VectorStore, nodes: NodeStore, recall: Recall) {
    this.#store = store;
    this.#nodes = nodes;
    this.#recall = recall;
    this.#records = new Records(store, 'self_recall');
  }

  /** What was measured for a run and a moment stays. Fails with `not_found` for `after` where nothing was measured before. */
  async measure(asked: Measured, { signal }: CallOptions = {}): Promise<SelfRecall> {
    const { space, runId, when } = asked;
    const kept = (await this.#records.find(space, runId, abortedBy(signal)))?.payload;
    if (kept?.[when] !== undefined) return kept[when] as unknown as SelfRecall;
    if (kept === undefined && when === 'after') {
      throw new EngraphError('not_found', `recall was not measured before the run ${runId}, so that after it says nothing`, {
        details: { runId },
      });
    }
    const asks = (kept?.['asks'] as Ask[] | undefined) ?? (await this.#draw(asked, signal));
    const measured = await this.#found(space, asks, signal);
    const keep = (known: JsonObject | undefined): JsonObject =>
      ({ asks, ...known, [when]: { ...measured } }) as unknown as JsonObject;
    await this.#records.change(space, runId, keep, abortedBy(signal));
    return measured;
  }

  /** Facts that the run may change, in the order of a hash, then others in the order of their points, which is one too. */
  async #draw({ space, sample, first }: Measured, signal: AbortSignal | undefined): Promise<Ask[]> {
    const preferred = [...new Set(first)].sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1)).slice(0, sample);
    const asks = asksOf(await this.#nodes.read(space, preferred, abortedBy(signal)));
    const known = new Set(preferred);
    let after: string | undefined;
    while (asks.length < sample) {
      const query = { kinds: ['semantic'] as const, forms: ['fact'] as const, limit: BATCH, after, ...abortedBy(signal) };
      const page = await this.#nodes.page(space, query);
      asks.push(...asksOf(page.nodes.filter(({ id }) => !known.has(id))));
      after = page.next;
      if (after === undefined) break;
    }
    return asks.slice(0, sample);
  }

  async #found(space: string, asks: readonly Ask[], signal: AbortSignal | undefined): Promise<SelfRecall> {
    const turns = new Map<string, string>();
    for (const { id, text } of await this.#nodes.read(
      space,
      asks.map(({ turn }) => turn),
      abortedBy(signal),
    ))
      turns.set(id, text);
    const stand = await this.#standFor(
      space,
      asks.map(({ fact }) => fact),
      signal,
    );
    let [sampled, found] = [0, 0];
    for (const { fact, turn } of asks) {
      const text = turns.get(turn);
      if (text === undefined || text.trim() === '') continue; // forgotten since, or nothing but a picture
      const hits = await this.#recall.search(space, text, { forms: ['fact'], limit: BEST, ...abortedBy(signal) });
      sampled += 1;
      if (hits.some(({ node }) => stand.get(fact)?.has(node.id))) found += 1;
    }
    return { sampled, recall10: sampled === 0 ? 1 : found / sampled };
  }

  /** For each fact itself and every current fact that names it as superseded. */
  async #standFor(space: string, facts: readonly string[], signal: AbortSignal | undefined): Promise<Map<string, Set<string>>> {
    const stand = new Map(facts.map((id) => [id, new Set([id])]));
    for (let at = 0; at < facts.length; at += BATCH) {
      const some = facts.slice(at, at + BATCH);
      for (const heir of await nodesPointingTo(this.#store, space, 'supersedes', some, abortedBy(signal)))
        for (const id of heir.edges.supersedes ?? []) stand.get(id)?.add(heir.id);
    }
    return stand;
  }
}

const orderOf = (id: string): string => idOf('self-recall', id);

function asksOf(nodes: readonly { readonly id: string }[]): Ask[] {
  return (nodes as readonly SemanticNode[]).flatMap(({ id, source, abstract }) => {
    const turn = source.turns?.[0];
    return turn === undefined || abstract === true ? [] : [{ fact: id, turn }];
  });
}
