import { kmeans } from 'ml-kmeans';

import { dot } from '../domain/vector.js';
import type { Clusterer } from '../ports/clusterer.js';

/** Of the draws that choose the first centres. Another number gives other clusters where several are equally good. */
const SEED = 20_260_601;

/** Spherical k-means: distance is 1 - cosine, to a mean that is taken as a direction. */
export class MlKMeans implements Clusterer {
  cut(points: readonly (readonly number[])[], k: number): readonly number[] {
    if (k === 1) return points.map(() => 0);
    const data = points.map((point) => [...point]);
    return kmeans(data, k, { seed: SEED, initialization: 'kmeans++', distanceFunction: cosineDistance }).clusters;
  }
}

/** Points have length 1, means don't. One whose points cancel each other out points nowhere and is as far as can be. */
function cosineDistance(point: number[], mean: number[]): number {
  const length = Math.sqrt(dot(mean, mean));
  return length === 0 ? 2 : 1 - dot(point, mean) / length;
}
