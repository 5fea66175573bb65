/** Lehmer's generator with Park and Miller's multiplier: numbers from 0 to 1, the same for the same seed, so that every run has the same data. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48271) % 2147483647) / 2147483647;
}
