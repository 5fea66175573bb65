import type { CallOptions, Filter, StoredPoint, VectorStore, With, Write } from '../ports/vector-store.js';
import { scanAll } from './scanning.js';
import { aliveAt } from './validity.js';

/** Points that one write or read takes at a time: within the 64 to 256 that Qdrant's documentation asks for. */
export const BATCH = 128;

/** Options of a call below that may or may not be abortable. */
export const abortedBy = (signal: AbortSignal | undefined): CallOptions => (signal === undefined ? {} : { signal });

interface Asked {
  readonly asOf?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly what?: With;
}

/**
 * The points of nodes, version by version: finds the newest whatever a crash left behind, writes in batches, and retires by
 * expected revision.
 */
export class Versions {
  readonly #store: VectorStore;

  constructor(store: VectorStore) {
    this.#store = store;
  }

  /** Newest point alive by node id, without what an alive node supersedes: the older point may not say so yet. */
  async alive(space: string, nodeIds: readonly string[], asked: Asked): Promise<Map<string, StoredPoint>> {
    const { asOf, signal } = asked;
    const [points, heirs] = await Promise.all([
      this.#find(space, 'nodeId', nodeIds, aliveAt(asOf), asked),
      this.#find(space, 'supersedes', nodeIds, aliveAt(asOf), { signal }),
    ]);
    const newest = newestOf(points);
    for (const heir of heirs) for (const id of heir.payload['supersedes'] as string[]) newest.delete(id);
    return newest;
  }

  /** What stands for nodes that a current node supersedes: the id of that node by theirs. */
  async heirs(space: string, nodeIds: readonly string[], signal: AbortSignal | undefined): Promise<Map<string, string>> {
    const asked = new Set(nodeIds);
    const heirs = newestOf(await this.#find(space, 'supersedes', nodeIds, aliveAt(), { signal }));
    return new Map(
      [...heirs].flatMap(([heir, { payload }]) =>
        (payload['supersedes'] as string[]).filter((id) => asked.has(id)).map((id) => [id, heir] as const),
      ),
    );
  }

  /** Newest point by node id, retired or not. */
  async latest(space: string, nodeIds: readonly string[], signal: AbortSignal | undefined): Promise<Map<string, StoredPoint>> {
    return newestOf(await this.#find(space, 'nodeId', nodeIds, [], { signal }));
  }

  /** Gives each version of these nodes that is not retired its end of validity. */
  async retire(
    space: string,
    nodeIds: readonly string[],
    at: string,
    token: string,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const what = { vector: true, terms: true };
    const points = await this.#find(space, 'nodeId', nodeIds, aliveAt(), { signal, what });
    await this.#mark(space, points, at, token, signal);
  }

  /** Gives this one version its end of validity, and returns the end that it has: an earlier one stays. */
  async retireOne(space: string, pointId: string, at: string, token: string, signal: AbortSignal | undefined): Promise<string> {
    const points = await this.#store.fetch(space, [pointId], { vector: true, terms: true }, abortedBy(signal));
    const before = points[0]?.payload['retiredAt'];
    if (typeof before === 'string') return before;
    await this.#mark(space, points, at, token, signal);
    return at;
  }

  /** Writes batch by batch. */
  async write(space: string, writes: readonly Write[], signal: AbortSignal | undefined): Promise<void> {
    for (const some of batches(writes)) await this.#store.upsert(space, some, abortedBy(signal));
  }

  async #mark(space: string, points: readonly StoredPoint[], at: string, token: string, signal: AbortSignal | undefined) {
    const writes = points.map(({ revision, ...point }) => ({
      point: { ...point, payload: { ...point.payload, retiredAt: at } },
      expect: revision,
      token,
    }));
    await this.write(space, writes, signal);
  }

  async #find(
    space: string,
    field: 'nodeId' | 'supersedes',
    nodeIds: readonly string[],
    alive: Filter,
    { signal, what = {} }: Asked,
  ): Promise<StoredPoint[]> {
    const points: StoredPoint[] = [];
    for (const ids of batches([...new Set(nodeIds)])) {
      const query = { filter: [{ field, anyOf: ids }, ...alive], with: what };
      for await (const point of scanAll(this.#store, space, query, abortedBy(signal))) points.push(point);
    }
    return points;
  }
}

/** One point a node, its newest version, by node id. */
export function newestOf(points: readonly StoredPoint[]): Map<string, StoredPoint> {
  const newest = new Map<string, StoredPoint>();
  for (const point of points) {
    const id = String(point.payload['nodeId']);
    if (Number(point.payload['version']) > Number(newest.get(id)?.payload['version'] ?? 0)) newest.set(id, point);
  }
  return newest;
}

function* batches<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += BATCH) yield items.slice(at, at + BATCH);
}
