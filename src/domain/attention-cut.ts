/** One pass over neighbouring turns: the maps of the chosen heads, and what each piece belongs to. */
export interface AttentionPass {
  /** [heads, pieces, pieces], row looks at column. */
  readonly maps: Float32Array;
  /** Of each piece the turn it is part of, ascending by one or not at all. */
  readonly turns: readonly number[];
  /** Of each piece whether it is part of a telling word: punctuation and stop words attend to all and say nothing. */
  readonly telling: readonly boolean[];
}

/**
 * Attention between turn `at` - 1 and turn `at` over attention inside the two, mean over the heads (facts/models.md 2.3): each
 * cell over the mean of its diagonal in the pass, since near pieces attend to each other whatever they say. About 1 where
 * the turns belong together, lower where they don't; 1 where one of them has no telling word.
 */
export function attentionCut({ maps, turns, telling }: AttentionPass, at: number, diagonals: readonly Float64Array[]): number {
  const pieces = turns.length;
  const own = turns.flatMap((turn, piece) => (telling[piece] && (turn === at || turn === at - 1) ? [piece] : []));
  const ratios = diagonals.map((diagonal, head) => {
    let [across, acrossCells, inside, insideCells] = [0, 0, 0, 0];
    for (const row of own) {
      for (const column of own) {
        if (row === column) continue;
        const cell =
          (maps[(head * pieces + row) * pieces + column] as number) / ((diagonal[Math.abs(row - column)] as number) + 1e-9);
        if (turns[row] === turns[column]) {
          inside += cell;
          insideCells += 1;
        } else {
          across += cell;
          acrossCells += 1;
        }
      }
    }
    return acrossCells === 0 || inside === 0 ? 1 : across / acrossCells / (inside / insideCells);
  });
  return Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(Math.max(ratio, 0.02)), 0) / Math.max(1, ratios.length));
}

/** Of each head the mean attention by distance between telling pieces. */
export function diagonalMeans({ maps, turns, telling }: AttentionPass): Float64Array[] {
  const pieces = turns.length;
  const own = turns.flatMap((_, piece) => (telling[piece] ? [piece] : []));
  const heads = pieces === 0 ? 0 : maps.length / (pieces * pieces);
  return Array.from({ length: heads }, (_, head) => {
    const sums = new Float64Array(pieces);
    const cells = new Float64Array(pieces);
    for (const row of own) {
      for (const column of own) {
        const distance = Math.abs(row - column);
        sums[distance] = (sums[distance] as number) + (maps[(head * pieces + row) * pieces + column] as number);
        cells[distance] = (cells[distance] as number) + 1;
      }
    }
    return sums.map((sum, distance) => sum / Math.max(1, cells[distance] as number));
  });
}
