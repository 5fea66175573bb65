import { dot, unit } from './vector.js';

/** Something that has a place: an episode with its vector of length 1. */
export interface Placed {
  readonly id: string;
  readonly vector: readonly number[];
}

/** Cuts points, all different, into at most `k` clusters, and gives each point's label; `k` is at least 1, at most their number. */
export type Cut = (points: readonly (readonly number[])[], k: number) => readonly number[];

/**
 * Cosine at or above which two things are of one kind: an episode and the middle of a skill's, or the middles of two halves.
 * Measured with MiniLM on 20 cooking games and 20 tasks of eight other kinds: episodes of a kind lie at 0.62 and more to the
 * middle of the others (one outlier 0.44), those of different kinds at 0.51 and less.
 */
export const SAME_KIND = 0.55;

/** Cosine of two clusters' middles from which they are one kind that was cut by its number: easy and hard games of one kind lie at 0.93. */
const ONE_KIND = 0.8;

/** FluxMem's number of clusters: the square root of half of the points, at least 1. */
export const clustersFor = (points: number): number => Math.max(1, Math.floor(Math.sqrt(points / 2)));

/** The direction of the points' mean. */
export function middleOf(vectors: readonly (readonly number[])[]): number[] {
  const sum = Array.from(vectors[0] ?? [], () => 0);
  for (const vector of vectors) for (let at = 0; at < sum.length; at++) sum[at] = (sum[at] ?? 0) + (vector[at] ?? 0);
  return unit(sum);
}

/**
 * Points as clusters of ids: each point in exactly one, the same for any order of the points; ids sorted within a cluster, and
 * clusters by their first id. Points in one place stay together, so there are never more clusters than places. Where `numClusters`
 * says how many, that is how many are cut. Else it begins with `clustersFor`, and then goes by kinds: a cluster whose halves
 * are of different kinds is cut in two, clusters of one kind become one.
 */
export function clustersOf(points: readonly Placed[], cut: Cut, numClusters?: number): string[][] {
  const places = placesOf(points);
  if (places.length === 0) return [];
  const k = Math.min(numClusters ?? clustersFor(points.length), places.length);
  const first = split(places, k, cut);
  const clusters = numClusters === undefined ? joined(first.flatMap((cluster) => byKind(cluster, cut))) : first;
  const ids = clusters.map((cluster) => cluster.flatMap((place) => place.ids).sort());
  return ids.sort(([a = ''], [b = '']) => (a < b ? -1 : 1));
}

interface Place {
  readonly vector: readonly number[];
  readonly ids: readonly string[];
}

/** Points by where they are; vectors that agree to six digits are one place. */
function placesOf(points: readonly Placed[]): Place[] {
  const places = new Map<string, { vector: readonly number[]; ids: string[] }>();
  for (const { id, vector } of [...points].sort((a, b) => (a.id < b.id ? -1 : 1))) {
    const key = vector.map((value) => Math.round(value * 1e6)).join();
    const place = places.get(key);
    if (place === undefined) places.set(key, { vector, ids: [id] });
    else place.ids.push(id);
  }
  return [...places.values()];
}

function split(places: readonly Place[], k: number, cut: Cut): Place[][] {
  if (k <= 1) return [[...places]];
  if (k >= places.length) return places.map((place) => [place]);
  const labels = cut(
    places.map(({ vector }) => vector),
    k,
  );
  const clusters = new Map<number, Place[]>();
  places.forEach((place, at) => {
    const label = labels[at] as number;
    clusters.set(label, [...(clusters.get(label) ?? []), place]);
  });
  return [...clusters.values()];
}

/** The cluster, or where its halves are of different kinds, the clusters that these are made of. */
function byKind(places: readonly Place[], cut: Cut): Place[][] {
  if (places.length < 2) return [[...places]];
  const halves = split(places, 2, cut);
  const [a, b] = halves.map(middleOfPlaces);
  if (a === undefined || b === undefined || dot(a, b) >= SAME_KIND) return [[...places]];
  return halves.flatMap((half) => byKind(half, cut));
}

/** The clusters with those of one kind united, the nearest two first. */
function joined(clusters: readonly Place[][]): Place[][] {
  const left = clusters.map((places) => ({ places, middle: middleOfPlaces(places) }));
  for (;;) {
    let best = { i: -1, j: -1, cosine: ONE_KIND };
    for (let i = 0; i < left.length; i++) {
      for (let j = i + 1; j < left.length; j++) {
        const cosine = dot(left[i]?.middle ?? [], left[j]?.middle ?? []);
        if (cosine >= best.cosine) best = { i, j, cosine };
      }
    }
    const [one, other] = [left[best.i], left[best.j]];
    if (one === undefined || other === undefined) return left.map(({ places }) => places);
    const places = [...one.places, ...other.places];
    left.splice(best.j, 1);
    left[best.i] = { places, middle: middleOfPlaces(places) };
  }
}

const middleOfPlaces = (places: readonly Place[]): number[] =>
  middleOf(places.flatMap(({ vector, ids }) => ids.map(() => vector)));
