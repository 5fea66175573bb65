/** Cuts points into clusters by their direction. Pure: the same points in the same order give the same labels, on every machine. */
export interface Clusterer {
  /**
   * A label for each point. The points are unit vectors, all different; `k` is from 1 to their number. A cluster may come out
   * empty, so there may be fewer labels than `k`.
   */
  cut(points: readonly (readonly number[])[], k: number): readonly number[];
}
