import { EngraphError } from '../domain/failure.js';
import type { CallOptions, StoredPoint, VectorStore } from '../ports/vector-store.js';
import { pointIdOf } from './points.js';
import { Versions } from './versions.js';

/** A node's newest version, as far as it matters for who wrote and who ended it. */
export interface NodeState {
  readonly version: number;
  readonly writtenBy: string;
  readonly recordedAt: string;
  readonly isRetired: boolean;
  readonly isFresh: boolean;
  /** Which operation ended it, where that was kept. */
  readonly retiredBy?: string;
}

/**
 * Where nodes stand, and marks on their newest version that say nothing new and so make no version: that it has yielded, and
 * whether it still waits to be held against older facts.
 */
export class NodeStates {
  readonly #store: VectorStore;
  readonly #versions: Versions;

  constructor(store: VectorStore) {
    this.#store = store;
    this.#versions = new Versions(store);
  }

  /** By node id; what was never there is left out. */
  async of(space: string, nodeIds: readonly string[], { signal }: CallOptions = {}): Promise<Map<string, NodeState>> {
    const latest = await this.#versions.latest(space, nodeIds, signal);
    return new Map([...latest].map(([id, point]) => [id, stateOf(point)]));
  }

  /**
   * Ends this version, which must be the newest, and keeps who ended it and until when it held. Done again under the same token
   * it changes nothing; ended by somebody else it is a `version_conflict`, not to be tried again as it is.
   */
  async retire(
    space: string,
    ended: { readonly nodeId: string; readonly version: number; readonly validTo?: string },
    { at, token }: { readonly at: string; readonly token: string },
  ): Promise<void> {
    const [point] = await this.#store.fetch(space, [pointIdOf(ended.nodeId, ended.version)], { vector: true, terms: true });
    if (point?.payload['retiredBy'] === token) return;
    if (point === undefined || point.payload['retiredAt'] !== undefined) {
      throw new EngraphError('version_conflict', `version ${ended.version} of node ${ended.nodeId} is no longer the newest`, {
        retryable: false,
        details: { nodeId: ended.nodeId },
      });
    }
    const { revision, ...rest } = point;
    const { validTo } = ended;
    const payload = { ...rest.payload, retiredAt: at, retiredBy: token, ...(validTo !== undefined && { validTo }) };
    await this.#store.upsert(space, [{ point: { ...rest, payload }, expect: revision, token }]);
  }

  /**
   * Marks these facts fresh, or no longer, where the version named is still the newest; what has another version, or is marked
   * so already, stays as it is. Returns how many it marked.
   */
  async markFresh(
    space: string,
    facts: readonly { readonly nodeId: string; readonly version: number }[],
    { fresh, token, signal }: { readonly fresh: boolean; readonly token: string } & CallOptions,
  ): Promise<number> {
    const versions = new Map(facts.map(({ nodeId, version }) => [nodeId, version]));
    const what = { vector: true, terms: true };
    const points = await this.#versions.alive(space, [...versions.keys()], { signal, what });
    const writes = [...points].flatMap(([nodeId, { revision, ...point }]) => {
      const { status, ...payload } = point.payload;
      if (payload['version'] !== versions.get(nodeId) || (status === 'fresh') === fresh) return [];
      return [{ point: { ...point, payload: fresh ? { ...payload, status: 'fresh' } : payload }, expect: revision, token }];
    });
    await this.#versions.write(space, writes, signal);
    return writes.length;
  }

  /** Ends the newest version of a node whatever it is; what has ended stays as it is. */
  async end(space: string, nodeId: string, { at, token, signal }: { at: string; token: string } & CallOptions): Promise<void> {
    await this.#versions.retire(space, [nodeId], at, token, signal);
  }
}

function stateOf({ payload }: StoredPoint): NodeState {
  const { retiredBy } = payload;
  return {
    version: Number(payload['version']),
    writtenBy: String(payload['writtenBy']),
    recordedAt: String(payload['recordedAt']),
    isRetired: payload['retiredAt'] !== undefined,
    isFresh: payload['status'] === 'fresh',
    ...(typeof retiredBy === 'string' && { retiredBy }),
  };
}
