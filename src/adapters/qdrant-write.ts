import { randomBytes } from 'node:crypto';

import type { Schemas } from '@qdrant/js-client-rest';

import { EngraphError } from '../domain/failure.js';
import { conflict } from '../ports/vector-store-checks.js';
import type { Point, Write } from '../ports/vector-store.js';
import type { QdrantFilter } from './qdrant-filter.js';
import { qdrantIdOf, sentPoint, spaceHashOf, type Kept, type Mark } from './qdrant-point.js';
import type { QdrantRest } from './qdrant-rest.js';
import { keywordOf } from './qdrant-values.js';

/** Points and bytes of one request at most: Qdrant asks for batches of 64 to 256 points and takes 32 MB (facts/vector-stores.md 5). */
const MOST_POINTS = 256;
const MOST_BYTES = 8_000_000;

/** Marks of writes that a point keeps. A writer looks for its own right after; so many others would have to come between. */
const TRAIL = 8;

/** Times that a write without an expectation is made again after others' came between. */
const MOST_TRIES = 50;

/** A space of one collection. */
export interface Place {
  readonly rest: QdrantRest;
  readonly collection: string;
  readonly space: string;
  readonly signal: AbortSignal | undefined;
}

interface Planned {
  readonly point: Point;
  /** The revision that the stored point must have; 0: it must not be there. */
  readonly base: number;
  readonly mark: Mark;
}

/**
 * Applies checked writes in their order. All are compared with what is stored before any is sent, so a stale one is refused
 * before anything is written; against writers that come between, each request carries its condition, and what was applied is
 * read back by the mark of this call, since Qdrant answers "completed" either way.
 */
export async function writePoints(place: Place, writes: readonly Write[]): Promise<void> {
  const own = randomBytes(9).toString('base64url');
  const spaceHash = spaceHashOf(place.space);
  let left = writes;
  for (let tries = 0; left.length > 0; tries++) {
    if (tries === MOST_TRIES) {
      throw new EngraphError('store_unavailable', `others wrote the same points ${MOST_TRIES} times in a row; try again later`);
    }
    const plan = planned(
      left,
      await readKept(
        place,
        left.map(({ point }) => point.id),
      ),
      own,
    );
    for (const run of runs(plan)) await send(place, run, spaceHash);
    const after = await readKept(
      place,
      plan.map(({ point }) => point.id),
    );
    const lost = new Set(plan.flatMap(({ point }) => (after.get(point.id)?.trail.includes(own) ? [] : [point.id])));
    left = left.filter(({ point }) => lost.has(point.id));
  }
}

/** Removes the points that exist and says how many there were. */
export async function removePoints(place: Place, ids: readonly string[]): Promise<number> {
  const spaceHash = spaceHashOf(place.space);
  const there = [...(await readKept(place, ids)).keys()];
  for (let at = 0; at < there.length; at += MOST_IDS) {
    const points = there.slice(at, at + MOST_IDS).map((id) => qdrantIdOf(spaceHash, id));
    const asked = { collection_name: place.collection, wait: true, points };
    completed(await place.rest.ask((api, init) => api.deletePoints(asked, init), place.signal));
  }
  return there.length;
}

/** Removes every point that meets the filter, which names the space. */
export async function removeWhere(place: Place, filter: QdrantFilter): Promise<void> {
  const asked = { collection_name: place.collection, wait: true, filter };
  completed(await place.rest.ask((api, init) => api.deletePoints(asked, init), place.signal));
}

type Head = Pick<Kept, 'revision' | 'trail' | 'token'>;
const HEAD = ['id', 'revision', 'trail', 'token'];
const MOST_IDS = 1_000;

async function readKept({ rest, collection, space, signal }: Place, ids: readonly string[]): Promise<Map<string, Head>> {
  const spaceHash = spaceHashOf(space);
  const found = new Map<string, Head>();
  const asked = new Map(ids.map((id) => [qdrantIdOf(spaceHash, id), id]));
  const all = [...asked.keys()];
  for (let at = 0; at < all.length; at += MOST_IDS) {
    const request = { collection_name: collection, ids: all.slice(at, at + MOST_IDS), with_payload: HEAD };
    for (const { id, payload } of await rest.ask((api, init) => api.getPoints(request, init), signal)) {
      const kept = payload as unknown as Kept;
      const wanted = asked.get(String(id)) ?? '';
      // Read by id alone, so another point under the same 80 bits would come instead.
      if (kept.id !== wanted) {
        throw new EngraphError('validation', `point ${wanted} can't stand beside ${kept.id}: their first 80 bits are the same`);
      }
      found.set(wanted, kept);
    }
  }
  return found;
}

/** What is to be sent, one entry a point: where the writes of the list lead, one after the other. Fails with `version_conflict`. */
function planned(writes: readonly Write[], stored: ReadonlyMap<string, Head>, own: string): Planned[] {
  const plan = new Map<string, Planned>();
  for (const { point, expect, token } of writes) {
    const old = stored.get(point.id);
    const before = plan.get(point.id)?.mark ?? old;
    const named = token === undefined ? undefined : keywordOf(token);
    if (expect !== undefined) {
      if (before !== undefined && before.token === named) continue;
      if ((before?.revision ?? 0) !== expect) throw conflict(point.id, expect, before?.revision ?? 0);
    }
    const trail = [...(old?.trail ?? []), own].slice(-TRAIL);
    plan.set(point.id, {
      point,
      base: old?.revision ?? 0,
      mark: { revision: (before?.revision ?? 0) + 1, trail, token: named },
    });
  }
  return [...plan.values()];
}

/** Neighbours that one request can carry: of one stored revision, and within the bounds. */
function* runs(plan: readonly Planned[]): Generator<readonly Planned[]> {
  let run: Planned[] = [];
  let bytes = 0;
  for (const next of plan) {
    const size = bytesOf(next.point);
    const full = run.length >= MOST_POINTS || bytes + size > MOST_BYTES;
    if (run.length > 0 && (full || run[0]?.base !== next.base)) {
      yield run;
      [run, bytes] = [[], 0];
    }
    run.push(next);
    bytes += size;
  }
  if (run.length > 0) yield run;
}

/** About what a point takes as JSON; text in a text is escaped twice. */
const bytesOf = ({ payload, vector, terms }: Point): number =>
  3 * JSON.stringify(payload).length + 13 * (vector?.length ?? 0) + 40 * Object.keys(terms ?? {}).length;

async function send({ rest, collection, signal }: Place, run: readonly Planned[], spaceHash: string): Promise<void> {
  const base = run[0]?.base ?? 0;
  const points = run.map(({ point, mark }) => sentPoint(point, spaceHash, mark));
  const condition =
    base === 0
      ? { update_mode: 'insert_only' as const }
      : { update_mode: 'update_only' as const, update_filter: { must: [{ key: 'revision', match: { value: base } }] } };
  const asked = { collection_name: collection, wait: true, points, ...condition };
  completed(await rest.ask((api, init) => api.upsertPoints(asked, init), signal));
}

/** A server that stopped waiting has not said that it wrote. */
function completed({ status }: Schemas['UpdateResult']): void {
  if (status !== 'completed') throw new EngraphError('store_unavailable', `Qdrant ended a write as ${status}; try again`);
}
