import { EDGE_FIELDS, type GraphNode, type SemanticNode } from '../domain/graph.js';
import { idOf } from '../domain/id.js';
import type { JsonObject } from '../domain/json.js';
import type { NetChange } from '../domain/reconciliation.js';
import type { CallOptions, VectorStore } from '../ports/vector-store.js';
import { nodesPointingTo } from './edges.js';
import { JudgedQueues, type KeptQueue } from './judged-queues.js';
import { NodeStates, type NodeState } from './node-state.js';
import type { NodeStore } from './nodes.js';
import { changeToken } from './reconciling.js';
import { Records } from './records.js';
import { isToTakeBack, nodeIdOf, orderedBack, standingOf, takeBack, type Made } from './taking-back.js';
import { abortedBy, BATCH } from './versions.js';

/** A node that keeps a run from being undone: written again since, or pointed at by a later node's edge. */
export interface Hindrance {
  readonly nodeId: string;
  readonly why: 'changed' | 'used';
  readonly by?: string;
}

/** What an undo came to. */
export interface TakenBack {
  /** Nodes that are again as they were; 0 where something is in the way. */
  readonly restored: number;
  readonly inTheWay: readonly Hindrance[];
}

/** All that a run did to one node: the last change of it, and what it was before the first. */
interface Touched {
  readonly change: NetChange;
  /** The operation of the last change. */
  readonly token: string;
  readonly image?: SemanticNode;
}

/**
 * Undoes what a sleep reconciled, from the images that were kept before anything was changed: wholly, or not at all where a
 * node was written again since or a later edge points at what would go (design.md 3.3, phase 2). The graph then says what it
 * said before the run; the history of both stays.
 */
export class Undoing {
  readonly #store: VectorStore;
  readonly #nodes: NodeStore;
  readonly #judged: JudgedQueues;
  readonly #states: NodeStates;
  readonly #undone: Records;

  constructor(store: VectorStore, nodes: NodeStore) {
    this.#store = store;
    this.#nodes = nodes;
    this.#judged = new JudgedQueues(store);
    this.#states = new NodeStates(store);
    this.#undone = new Records(store, 'sleep_undo');
  }

  /**
   * Undoes the run. Done again it goes on where it was, and a run that was undone stays undone. `settled` are facts that were
   * fresh before the run and that no queue had.
   */
  async undo(
    space: string,
    runId: string,
    { at, settled = [], signal }: { at: string; settled?: readonly FreshFact[] } & CallOptions,
  ): Promise<TakenBack> {
    const known = await this.#undone.find(space, runId, abortedBy(signal));
    if (typeof known?.payload['restored'] === 'number') return { restored: known.payload['restored'], inTheWay: [] };
    const queues = await this.#judged.list(space, runId, abortedBy(signal));
    const ids = queues.flatMap(({ changes }) => changes.map(nodeIdOf));
    const states = await this.#states.of(space, ids, abortedBy(signal));
    const touched = touchedBy(queues, states);
    if (known === undefined) {
      const inTheWay = await this.#inTheWay(space, touched, states, signal);
      if (inTheWay.length > 0) return { restored: 0, inTheWay };
      await this.#undone.change(space, runId, () => ({ at }));
    }
    const fresh = [...queues.flatMap(({ facts }) => facts.filter((fact) => fact.fresh)), ...settled];
    const inTheWay = await this.#takeBack(space, runId, { touched, states, at, fresh });
    const restored = touched.size - inTheWay.length;
    for (const { content } of queues) await this.#undone.change(space, contentKey(content), () => ({ runId }));
    await this.#undone.change(space, runId, (begun) => ({ ...begun, restored }) as JsonObject);
    return { restored, inTheWay };
  }

  /** Whether this content was decided on by a run that was undone: it is not decided on in the same way again. */
  async wasUndone(space: string, content: string, options: CallOptions = {}): Promise<boolean> {
    return (await this.#undone.find(space, contentKey(content), options)) !== undefined;
  }

  async #inTheWay(
    space: string,
    touched: ReadonlyMap<string, Touched>,
    states: ReadonlyMap<string, NodeState>,
    signal: AbortSignal | undefined,
  ): Promise<Hindrance[]> {
    const changed = [...touched].flatMap(([nodeId, { change, token }]): Hindrance[] =>
      standingOf(change, states.get(nodeId), token) !== 'done' ? [{ nodeId, why: 'changed' }] : [],
    );
    const going = [...touched].filter(([, { change }]) => change.act !== 'retire').map(([id]) => id);
    const used: Hindrance[] = [];
    const isGoing = new Set(going);
    for (const [field, some] of EDGE_FIELDS.flatMap((edge) => batches(going).map((ids) => [edge, ids] as const))) {
      for (const node of await nodesPointingTo(this.#store, space, field, some, abortedBy(signal))) {
        if (touched.has(node.id)) continue;
        for (const nodeId of (node.edges[field] ?? []).filter((id) => isGoing.has(id))) {
          const since = states.get(nodeId)?.recordedAt ?? '';
          if (await this.#isLater(space, node, { field, nodeId, since, signal })) used.push({ nodeId, why: 'used', by: node.id });
        }
      }
    }
    const each = new Map([...changed, ...used].map((one) => [`${one.nodeId} ${one.by ?? ''}`, one]));
    return [...each.values()];
  }

  /** Whether a node came to point at another after that was written. */
  async #isLater(
    space: string,
    { id, recordedAt }: GraphNode,
    edge: { field: (typeof EDGE_FIELDS)[number]; nodeId: string; since: string; signal: AbortSignal | undefined },
  ): Promise<boolean> {
    if (recordedAt < edge.since) return false;
    const [before] = await this.#nodes.read(space, [id], { asOf: justBefore(edge.since), ...abortedBy(edge.signal) });
    return before?.edges[edge.field]?.includes(edge.nodeId) !== true;
  }

  async #takeBack(
    space: string,
    runId: string,
    {
      touched,
      states,
      at,
      fresh,
    }: {
      touched: ReadonlyMap<string, Touched>;
      states: ReadonlyMap<string, NodeState>;
      at: string;
      fresh: readonly FreshFact[];
    },
  ): Promise<Hindrance[]> {
    const wasFresh = new Set(fresh.map(({ nodeId }) => nodeId));
    const made = [...touched].map(([nodeId, { change, token: madeBy, image }]): Made => {
      const before = image && wasFresh.has(nodeId) ? { ...image, status: 'fresh' as const } : image;
      return { change, madeBy, token: idOf('undo', runId, nodeId), ...(before !== undefined && { image: before }) };
    });
    const hindrances: Hindrance[] = [];
    for (const one of orderedBack(made.filter((each) => isToTakeBack(each, states.get(nodeIdOf(each.change)))))) {
      const isBack = await takeBack({ nodes: this.#nodes, states: this.#states, space, at }, one);
      if (!isBack) hindrances.push({ nodeId: nodeIdOf(one.change), why: 'changed' });
    }
    const untouched = fresh.filter(({ nodeId }) => !touched.has(nodeId));
    await this.#states.markFresh(space, untouched, { fresh: true, token: idOf('undo fresh', runId) });
    return hindrances;
  }
}

/** A fact that was fresh, in the version that it had. */
export interface FreshFact {
  readonly nodeId: string;
  readonly version: number;
}

/**
 * By node, over all queues of a run in the order of its plans: a fact that one plan revised may be in a queue of the next. Of a
 * queue that was not applied to its end only what was written counts.
 */
function touchedBy(queues: readonly KeptQueue[], states: ReadonlyMap<string, NodeState>): Map<string, Touched> {
  const touched = new Map<string, Touched>();
  for (const { name, changes, application } of queues) {
    for (const change of changes) {
      const nodeId = nodeIdOf(change);
      const token = changeToken(name, nodeId);
      if (application !== 'applied' && standingOf(change, states.get(nodeId), token) !== 'done') continue;
      const first = touched.get(nodeId);
      const image = first === undefined ? imageOf(change) : first.image;
      touched.set(nodeId, { change, token, ...(image !== undefined && { image }) });
    }
  }
  return touched;
}

const contentKey = (content: string): string => `content ${content}`;

const imageOf = (change: NetChange): SemanticNode | undefined => (change.act === 'insert' ? undefined : change.before);

const batches = (ids: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(ids.length / BATCH) }, (_, at) => ids.slice(at * BATCH, (at + 1) * BATCH));

const justBefore = (time: string): string => new Date(Date.parse(time) - 1).toISOString();
