/** A vector of 26 numbers that tells texts apart by their letters and digits, for servers that are no model. Never of length 0. */
export function letterVector(text: string): number[] {
  const vector = new Array<number>(26).fill(0.001);
  for (const character of text.toLowerCase()) {
    const at = (character.codePointAt(0) ?? 0) % 26;
    vector[at] = (vector[at] as number) + 1;
  }
  return vector;
}
