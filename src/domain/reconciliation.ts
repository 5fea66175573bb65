import { EngraphError } from './failure.js';
import { mostDistinct } from './fact-wording.js';
import type { Edges, SemanticNode } from './graph.js';
import { idOf } from './id.js';

/** Why a fact gave way to another. */
export type Yielding = 'merge' | 'supersede' | 'contradict';

/**
 * What the verdicts on a queue come to for one node, one change a node however many verdicts bore on it. `before` is what was
 * planned with and what an undo brings back; `after` is the next version, word for word.
 */
export type NetChange =
  | { readonly act: 'revise'; readonly before: SemanticNode; readonly after: SemanticNode }
  | {
      readonly act: 'retire';
      readonly before: SemanticNode;
      /** The fact that stands in its place and names it in `supersedes`. */
      readonly heir: string;
      readonly why: Yielding;
      /** When it ceased to hold; absent where it was merged, since what it says still holds. */
      readonly validTo?: string;
    }
  | { readonly act: 'insert'; readonly after: SemanticNode };

interface Gone {
  readonly heir: string;
  readonly why: Yielding;
  readonly validTo?: string;
}

/**
 * The facts of one update queue as they are after the verdicts so far; nothing is written (design.md 3.3, phase 1). No verdict
 * takes a statement away: what yields keeps its content, and its heir names it, and all that it stood for, in `supersedes`.
 */
export class Overlay {
  readonly #planned: ReadonlyMap<string, SemanticNode>;
  readonly #settles: ReadonlySet<string>;
  readonly #facts: Map<string, SemanticNode>;
  readonly #gone = new Map<string, Gone>();
  readonly #made = new Map<string, SemanticNode>();
  /** Whose planned text a fact has now: by it, its vector is known. Absent for a wording of the model's. */
  readonly #wordedBy: Map<string, string>;

  /** `settles` are the facts that are not fresh any more once this is written; by default all. */
  constructor(planned: readonly SemanticNode[], settles: ReadonlySet<string> = new Set(planned.map(({ id }) => id))) {
    this.#settles = settles;
    this.#planned = new Map(planned.map((fact) => [fact.id, fact]));
    this.#facts = new Map(this.#planned);
    this.#wordedBy = new Map(planned.map(({ id }) => [id, id]));
  }

  /** The fact as it is now, also where it has yielded. Fails with `validation` for one that is not of the queue. */
  fact(id: string): SemanticNode {
    const fact = this.#facts.get(id);
    if (fact === undefined) throw new EngraphError('validation', `fact ${id} is not in this queue`, { details: { nodeId: id } });
    return fact;
  }

  /** The fact that stands for this one now: itself, or what it has yielded to. */
  standing(id: string): string {
    let at = this.fact(id).id;
    for (let gone = this.#gone.get(at); gone !== undefined; gone = this.#gone.get(at)) at = gone.heir;
    return at;
  }

  /** The fact whose planned text this one has now; undefined where a model worded it anew. */
  wordedBy(id: string): string | undefined {
    return this.#wordedBy.get(id);
  }

  /**
   * Unites the later fact with the earlier one, which keeps its id and its time: sources and metadata of both (the later's win
   * key by key), in the words given or else in the richer of both. `stays`: the later one remains beside it.
   */
  merge(later: string, earlier: string, { text, stays = false }: { text?: string; stays?: boolean } = {}): void {
    const [from, into] = [this.fact(later), this.fact(earlier)];
    const worded = text ?? mostDistinct(into.text, from.text);
    const owner = [earlier, later].find((id) => this.fact(id).text === worded);
    const wordedBy = owner === undefined ? undefined : this.#wordedBy.get(owner);
    const united = unite(into, from, worded);
    this.#facts.set(earlier, stays ? united : heirOf(restated(united, from), from));
    if (wordedBy === undefined) this.#wordedBy.delete(earlier);
    else this.#wordedBy.set(earlier, wordedBy);
    if (!stays) this.#gone.set(later, { heir: earlier, why: 'merge' });
  }

  /** The heir takes the place of the loser, which has held until `validTo`. */
  replace(
    loser: string,
    heir: string,
    { why, validTo }: { why: 'supersede' | 'contradict'; validTo?: string | undefined },
  ): void {
    this.#facts.set(heir, heirOf(this.fact(heir), this.fact(loser)));
    this.#gone.set(loser, { heir, why, ...(validTo !== undefined && { validTo }) });
  }

  /** Links the later of two facts with the earlier one. */
  relate(later: string, earlier: string): void {
    const fact = this.fact(later);
    this.#facts.set(later, withEdges(fact, { relatesTo: union(fact.edges.relatesTo, [earlier]) }));
  }

  /** Makes one general fact of several, which stay. The same members make the same fact. */
  abstract(members: readonly string[], text: string): void {
    const facts = members.map((id) => this.fact(id));
    const [first] = facts;
    if (first === undefined) return;
    const id = idOf('abstract', first.space, ...[...members].sort());
    this.#made.set(id, { ...abstractOf(facts, first), id, text });
  }

  /** What is to be written: new facts first, then new versions, then what yields; by id among each. */
  changes(): NetChange[] {
    const made = [...this.#made.values()].map((after): NetChange => ({ act: 'insert', after }));
    const revised: NetChange[] = [];
    const retired: NetChange[] = [];
    for (const [id, before] of [...this.#planned].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const gone = this.#gone.get(id);
      const now = this.fact(id);
      if (gone !== undefined) retired.push({ act: 'retire', before, ...gone });
      else if (now !== before) revised.push({ act: 'revise', before, after: this.#settles.has(id) ? settled(now) : now });
    }
    return [...made, ...revised, ...retired];
  }
}

/** Without the mark of what was not yet held against older facts. */
function settled({ status: _fresh, ...fact }: SemanticNode): SemanticNode {
  return fact;
}

function unite(into: SemanticNode, from: SemanticNode, text: string): SemanticNode {
  const metadata = { ...into.metadata, ...from.metadata };
  const turns = union(into.source.turns, from.source.turns);
  const derivedFrom = union(into.edges.derivedFrom, from.edges.derivedFrom);
  const relatesTo = union(into.edges.relatesTo, from.edges.relatesTo).filter((id) => id !== into.id && id !== from.id);
  return {
    ...withEdges(into, { ...(derivedFrom.length > 0 && { derivedFrom }), ...(relatesTo.length > 0 && { relatesTo }) }),
    text,
    source: { ...into.source, ...(turns.length > 0 && { turns }) },
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
}

/** With the latest time at which one of the two was said. */
function restated(fact: SemanticNode, again: SemanticNode): SemanticNode {
  const times = [fact.restatedAt, again.restatedAt, again.validFrom].filter((time) => time !== undefined);
  const latest = times.sort().at(-1);
  return latest === undefined || latest === fact.validFrom ? fact : { ...fact, restatedAt: latest };
}

/** Names what yields and all that it stood for, so that whoever asks for one of them is led here at once. */
function heirOf(heir: SemanticNode, loser: SemanticNode): SemanticNode {
  const supersedes = union(heir.edges.supersedes, [loser.id, ...(loser.edges.supersedes ?? [])]);
  return withEdges(heir, { supersedes: supersedes.filter((id) => id !== heir.id) });
}

function abstractOf(facts: readonly SemanticNode[], first: SemanticNode): Omit<SemanticNode, 'id' | 'text'> {
  const same = <T>(of: (fact: SemanticNode) => T): T | undefined =>
    facts.every((fact) => of(fact) === of(first)) ? of(first) : undefined;
  const [conversation, speaker, role, topic] = [
    same(({ source }) => source.conversation),
    same((fact) => fact.speaker),
    same((fact) => fact.role),
    same((fact) => fact.topic),
  ];
  const validFrom = facts
    .flatMap((fact) => fact.validFrom ?? [])
    .sort()
    .at(-1);
  const turns = union(...facts.map(({ source }) => source.turns));
  return {
    ...{ space: first.space, version: 1, recordedAt: first.recordedAt, kind: 'semantic', form: 'fact', abstract: true },
    source: { ...(conversation !== undefined && { conversation }), ...(turns.length > 0 && { turns }) },
    ...(speaker !== undefined && { speaker }),
    ...(role !== undefined && { role }),
    ...(topic !== undefined && { topic }),
    ...(validFrom !== undefined && { validFrom }),
    edges: { derivedFrom: facts.map(({ id }) => id).sort() },
  };
}

const withEdges = (fact: SemanticNode, edges: Edges): SemanticNode => ({ ...fact, edges: { ...fact.edges, ...edges } });

/** Each once, in the order in which they first come. */
const union = (...lists: readonly (readonly string[] | undefined)[]): string[] => [
  ...new Set(lists.flatMap((list) => list ?? [])),
];
