import type { GraphNode } from '../domain/graph.js';
import type { CallOptions, Filter, StoredPoint, VectorStore } from '../ports/vector-store.js';
import { nodeOf } from './points.js';
import { afterTime, storedTime } from './validity.js';
import { Versions } from './versions.js';

/**
 * What held at a time: it began then or before and had not ended, as far as is known today. What was superseded later is
 * among it, though it is current no more; what was merged into another fact is not, since that one says it. What has no event
 * time is left out. Fails with `bad_timestamp`.
 */
export function trueAtFilter(time: string): Filter {
  const next = afterTime(time);
  return [
    { field: 'validFrom', below: next },
    {
      any: [
        { field: 'validTo', absent: true },
        { field: 'validTo', from: next },
      ],
    },
    {
      any: [
        { field: 'retiredAt', absent: true },
        { field: 'validTo', absent: false },
      ],
    },
  ];
}

/** Those of these nodes that held at the time, each in its last version, by node id. */
export async function readTrueAt(
  store: VectorStore,
  space: string,
  nodeIds: readonly string[],
  { trueAt, signal }: { readonly trueAt: string } & CallOptions,
): Promise<Map<string, GraphNode>> {
  const versions = new Versions(store);
  const next = afterTime(trueAt);
  const [latest, heirs] = await Promise.all([versions.latest(space, nodeIds, signal), versions.heirs(space, nodeIds, signal)]);
  const heirsNow = await versions.latest(space, [...heirs.values()], signal);
  const isReplaced = (id: string): boolean => {
    const heir = heirsNow.get(heirs.get(id) ?? '');
    // An older point may not say yet that it is retired; as of a time before its heir it still held.
    return (
      heir !== undefined && latest.get(id)?.payload['retiredAt'] === undefined && String(heir.payload['validFrom'] ?? '') < next
    );
  };
  const held = [...latest].filter(([id, point]) => holdsAt(point, storedTime(trueAt)) && !isReplaced(id));
  return new Map(held.map(([id, point]) => [id, nodeOf(point)]));
}

function holdsAt({ payload }: StoredPoint, time: string): boolean {
  const { validFrom, validTo, retiredAt } = payload;
  if (typeof validFrom !== 'string' || validFrom > time) return false;
  return typeof validTo === 'string' ? validTo > time : retiredAt === undefined;
}
