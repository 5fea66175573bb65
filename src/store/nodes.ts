import { EngraphError } from '../domain/failure.js';
import type {
  Edges,
  EpisodicNode,
  GraphNode,
  NodeKind,
  ProceduralNode,
  SemanticForm,
  SemanticNode,
  Source,
} from '../domain/graph.js';
import type { JsonObject } from '../domain/json.js';
import type { Embedder } from '../ports/embedder.js';
import type { CallOptions, Filter, VectorStore, Write } from '../ports/vector-store.js';
import { exportHash, exportLine, type HashOptions } from './export.js';
import { embeddedText, nodeOf, pointIdOf, pointOf } from './points.js';
import { aliveAt, storedTime } from './validity.js';
import { abortedBy, BATCH, Versions } from './versions.js';

/** A node before it is written: the store gives it its version and its time, and a vector where it has none. */
export type NewNode = Fresh<SemanticNode> | Fresh<EpisodicNode> | Fresh<ProceduralNode>;
type Fresh<Node extends GraphNode> = Omit<Node, 'space' | 'version' | 'recordedAt' | 'retiredAt'> & {
  readonly vector?: readonly number[];
};

/** What a write is done under: `token` names the operation, the same in each of its attempts, and is kept with the version. */
export interface WriteAs extends CallOptions {
  readonly recordedAt: string;
  readonly token: string;
}

/** What a new version changes; what is left out stays. `edges` replaces the types it names, `metadata` is merged key by key. */
export interface Change {
  readonly text?: string;
  readonly source?: Source;
  readonly metadata?: JsonObject;
  readonly edges?: Edges;
  readonly validTo?: string;
  readonly hash?: string;
  readonly topic?: string;
  readonly lifecycle?: ProceduralNode['lifecycle'];
  readonly maturity?: number;
  readonly estimated?: boolean;
}

/** Which nodes a listing is about; all current ones by default. */
export interface Selection extends CallOptions {
  readonly kinds?: readonly NodeKind[];
  readonly forms?: readonly SemanticForm[];
  /** Every version there ever was, retired ones too. */
  readonly includeRetired?: boolean;
}

/**
 * The graph's nodes over a vector store, in business words. Each version is one point; the newer is written first, then the
 * older is retired by expected revision, and a node counts once whatever a crash left in between.
 */
export class NodeStore {
  readonly #store: VectorStore;
  readonly #embedder: Embedder;
  readonly #versions: Versions;

  constructor(store: VectorStore, embedder: Embedder) {
    this.#store = store;
    this.#embedder = embedder;
    this.#versions = new Versions(store);
  }

  /**
   * The newest versions of these nodes, or those that were the newest at `asOf` (an ISO time); in the order asked, each id
   * once. What is not there, is retired, or is superseded by a node that is alive is left out.
   */
  async read(
    space: string,
    nodeIds: readonly string[],
    asked: { asOf?: string | undefined } & CallOptions = {},
  ): Promise<GraphNode[]> {
    const points = await this.#versions.alive(space, nodeIds, asked);
    return [...new Set(nodeIds)].flatMap((id) => points.get(id) ?? []).map(nodeOf);
  }

  /** The vectors of the newest versions, by node id; what is not there is left out. */
  async vectors(
    space: string,
    nodeIds: readonly string[],
    { signal }: CallOptions = {},
  ): Promise<Map<string, readonly number[]>> {
    const points = await this.#versions.alive(space, nodeIds, { signal, what: { vector: true } });
    return new Map([...points].flatMap(([id, { vector }]) => (vector === undefined ? [] : [[id, vector] as const])));
  }

  /**
   * Writes nodes that are not there: as version 1, or as the version after the last where they were retired, so that what comes
   * back keeps its history. Done again under the same token it changes nothing; a node that is current by another operation is
   * a `version_conflict`. Returns the ids that this call wrote.
   */
  async insert(space: string, nodes: readonly NewNode[], { recordedAt, token, signal }: WriteAs): Promise<string[]> {
    const ids = nodes.map(({ id }) => id);
    if (new Set(ids).size < ids.length) throw new EngraphError('validation', 'an insert names the same node twice');
    const latest = await this.#versions.latest(space, ids, signal);
    const missing = nodes.filter(({ id }) => latest.get(id)?.payload['writtenBy'] !== token);
    const taken = missing.find(({ id }) => latest.has(id) && latest.get(id)?.payload['retiredAt'] === undefined);
    if (taken) throw stale(`node ${taken.id} is there already, by another operation; revise it instead`, taken.id);
    const vectors = await this.#vectorsOf(missing, signal);
    const writes = missing.map(({ vector: _given, ...node }, at): Write => {
      const version = Number(latest.get(node.id)?.payload['version'] ?? 0) + 1;
      const whole: GraphNode = { ...node, space, version, recordedAt: storedTime(recordedAt) };
      return { point: pointOf(whole, { vector: vectors[at] ?? [], writtenBy: token }), expect: 0, token };
    });
    await this.#versions.write(space, writes, signal);
    return missing.map(({ id }) => id);
  }

  /**
   * Writes the next version, embedded anew where its text is another, then retires the one before. Id, validity, source, edges
   * and metadata stay unless changed. `version` is the one that was read: where it isn't the newest any more this is a
   * `version_conflict`, not to be tried again as it is; `not_found` where it never was. Done again under the same token it
   * finishes what a crash left and returns the same node.
   */
  async revise(space: string, asked: { nodeId: string; version: number; change: Change } & WriteAs): Promise<GraphNode> {
    return await this.#succeed(space, asked, (node) => changed(node, asked.change));
  }

  /** As `revise`, but the next version is this node word for word, also in what it leaves out; its `version` is the one that was read. */
  async replace(space: string, node: GraphNode, as: WriteAs): Promise<GraphNode> {
    const { id: nodeId, version, retiredAt: _ended, ...content } = node;
    return await this.#succeed(space, { ...as, nodeId, version }, () => ({ ...content, id: nodeId, version }) as GraphNode);
  }

  async #succeed(
    space: string,
    asked: { nodeId: string; version: number } & WriteAs,
    next: (node: GraphNode) => GraphNode,
  ): Promise<GraphNode> {
    const { nodeId, version, token, signal } = asked;
    const at = storedTime(asked.recordedAt);
    const [oldId, newId] = [pointIdOf(nodeId, version), pointIdOf(nodeId, version + 1)];
    const fetched = await this.#store.fetch(space, [oldId, newId], { vector: true }, abortedBy(signal));
    const found = new Map(fetched.map((point) => [point.id, point]));
    const [before, after] = [found.get(oldId), found.get(newId)];
    if (!before)
      throw new EngraphError('not_found', `node ${nodeId} has no version ${version}`, { details: { nodeId, version } });
    if (after ? after.payload['writtenBy'] !== token : before.payload['retiredAt'] !== undefined) {
      throw stale(`version ${version} of node ${nodeId} is no longer the newest; read it again`, nodeId);
    }
    const old = nodeOf(before);
    const node = after ? nodeOf(after) : { ...next(old), version: version + 1, recordedAt: at };
    if (!after) {
      const known = embeddedText(node) === embeddedText(old) ? before.vector : undefined;
      const [vector = []] = known === undefined ? await this.#embed([embeddedText(node)], signal) : [known];
      await this.#versions.write(space, [{ point: pointOf(node, { vector, writtenBy: token }), expect: 0, token }], signal);
    }
    // The time of the attempt that wrote it, by which a repeated one knows its own mark from somebody else's.
    const ended = await this.#versions.retireOne(space, oldId, node.recordedAt, token, signal);
    if (ended === node.recordedAt) return node;
    await this.#versions.retireOne(space, newId, ended, token, signal);
    throw stale(`node ${nodeId} was retired while version ${version + 1} of it was written`, nodeId);
  }

  /** Ends the validity of every version that has not ended. What is retired or not there stays as it is. */
  async retire(
    space: string,
    nodeIds: readonly string[],
    { at, token, signal }: { at: string; token: string } & CallOptions,
  ): Promise<void> {
    await this.#versions.retire(space, nodeIds, storedTime(at), token, signal);
  }

  /** A page of the listing in the order of point ids, which never changes; `next` is absent on the last page. */
  async page(
    space: string,
    { after, limit = BATCH, ...selection }: Selection & { after?: string | undefined; limit?: number } = {},
  ): Promise<{ nodes: GraphNode[]; next?: string }> {
    const nodes: GraphNode[] = [];
    let from = after;
    do {
      const query = { filter: filterOf(selection), limit: limit - nodes.length, ...(from !== undefined && { after: from }) };
      const page = await this.#store.scan(space, query, abortedBy(selection.signal));
      const listed = page.points.map(nodeOf);
      nodes.push(...(selection.includeRetired ? listed : await this.#newestOf(space, listed, selection.signal)));
      from = page.next;
    } while (from !== undefined && nodes.length < limit);
    return { nodes, ...(from !== undefined && { next: from }) };
  }

  /** Every node of the selection, page by page, in the order of point ids. */
  async *scan(space: string, selection: Selection = {}): AsyncGenerator<GraphNode> {
    let after: string | undefined;
    do {
      const page = await this.page(space, { ...selection, after });
      yield* page.nodes;
      after = page.next;
    } while (after !== undefined);
  }

  /** How many nodes the selection has; one that is just being revised may count twice until its older version is marked. */
  async count(space: string, selection: Selection = {}): Promise<number> {
    return await this.#store.count(space, filterOf(selection), abortedBy(selection.signal));
  }

  /** Every version of every node as one plain JSON object a line, retired ones too, in the order of point ids. */
  async *exportSpace(space: string, options: CallOptions = {}): AsyncGenerator<JsonObject> {
    for await (const node of this.scan(space, { ...options, includeRetired: true })) yield exportLine(node);
  }

  /** SHA-256 of what the space's nodes say now; see `exportHash` for what is left out. Two equal graphs have one hash. */
  async exportHash(space: string, kinds?: readonly NodeKind[], options: HashOptions & CallOptions = {}): Promise<string> {
    const { history = false, signal } = options;
    return await exportHash(this.scan(space, { ...(kinds && { kinds }), includeRetired: history, ...abortedBy(signal) }), {
      history,
    });
  }

  async #newestOf(space: string, nodes: readonly GraphNode[], signal: AbortSignal | undefined): Promise<GraphNode[]> {
    const ids = nodes.map(({ id }) => id);
    const newest = await this.#versions.alive(space, ids, { signal });
    return nodes.filter(({ id, version }) => newest.get(id)?.payload['version'] === version);
  }

  async #vectorsOf(nodes: readonly NewNode[], signal: AbortSignal | undefined): Promise<(readonly number[] | undefined)[]> {
    const made = await this.#embed(nodes.filter(({ vector }) => !vector).map(embeddedText), signal);
    return nodes.map(({ vector }) => vector ?? made.shift());
  }

  async #embed(texts: readonly string[], signal: AbortSignal | undefined): Promise<number[][]> {
    return texts.length === 0
      ? []
      : await this.#embedder.embed(
          texts.map((text) => text.toWellFormed()),
          abortedBy(signal),
        );
  }
}

function changed(node: GraphNode, change: Change): GraphNode {
  const { edges, metadata, ...rest } = change;
  const merged = { ...node.metadata, ...metadata };
  return {
    ...(change.text === undefined || change.text === node.text ? node : unmeasured(node)),
    ...rest,
    edges: { ...node.edges, ...edges },
    ...(Object.keys(merged).length > 0 && { metadata: merged }),
  };
}

/** A skill that says something else is a candidate again: its score was another text's. */
function unmeasured(node: GraphNode): GraphNode {
  if (node.kind !== 'procedural') return node;
  const { maturity: _, estimated: __, ...rest } = node;
  return { ...rest, lifecycle: 'candidate' };
}

function filterOf({ kinds, forms, includeRetired }: Selection): Filter {
  return [
    { field: 'kind', anyOf: kinds ?? ['semantic', 'episodic', 'procedural'] },
    ...(forms ? [{ field: 'form' as const, anyOf: forms }] : []),
    ...(includeRetired ? [] : aliveAt()),
  ];
}

const stale = (message: string, nodeId: string): EngraphError =>
  new EngraphError('version_conflict', message, { retryable: false, details: { nodeId } });
