/** Dot product; of two unit vectors it is their cosine. Vectors of different lengths are a mistake of ours. */
export function dot(a: readonly number[] | Float32Array, b: readonly number[] | Float32Array): number {
  if (a.length !== b.length) throw new RangeError(`vectors of ${a.length} and ${b.length} numbers`);
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] as number) * (b[i] as number);
  return sum;
}

/** The vector scaled to length 1. One of length 0 stays as it is, since it points nowhere. */
export function unit(vector: readonly number[] | Float32Array): number[] {
  const length = Math.sqrt(dot(vector, vector));
  return length === 0 ? Array.from(vector) : Array.from(vector, (value) => value / length);
}
