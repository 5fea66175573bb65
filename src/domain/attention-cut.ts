/** One pass over neighbouring turns: the maps of the chosen heads, and what each piece belongs to. */
export interface AttentionPass {
  /** [heads, pieces, pieces], row looks at column. */
  readonly maps: Float32Array;
  /** Of each piece the turn it is part of, ascending by one or not at all. */
  readonly turns: readonly number[];
  /** Of each piece whether it is part of a telling word: punctuation and stop words attend to all and say nothing. */
  readonly telling: readonly boolean[];
}

/** Turns to each side of a gap whose attention is read. Two tell borders better than one: AUC 0.69 to 0.64 on TIAGE's train and dev parts. */
export const ATTENTION_SIDE = 2;

/**
 * Attention between the two turns before turn `at` and the two from it on, over attention inside the two sides, mean over the
 * heads (facts/models.md 2.3): each cell over the mean of its diagonal in the pass, since near pieces attend to each other
 * whatever they say. About 1 where the sides belong together, lower where they don't; 1 where one of them has no telling word.
 */
export function attentionCut({ maps, turns, telling }: AttentionPass, at: number, diagonals: readonly Float64Array[]): number {
  const pieces = turns.length;
  const isNear = (turn: number): boolean => turn >= at - ATTENTION_SIDE && turn < at + ATTENTION_SIDE;
  const own = turns.flatMap((turn, piece) => (telling[piece] && isNear(turn) ? [{ piece, isAfter: turn >= at }] : []));
  const ratios = diagonals.map((diagonal, head) => {
    let [across, acrossCells, inside, insideCells] = [0, 0, 0, 0];
    for (const row of own) {
      for (const column of own) {
        if (row === column) continue;
        const distance = Math.abs(row.piece - column.piece);
        const cell =
          (maps[(head * pieces + row.piece) * pieces + column.piece] as number) / ((diagonal[distance] as number) + 1e-9);
        if (row.isAfter === column.isAfter) {
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

/** Neighbouring turns [from, to) that one pass reads, and the gaps whose attention it tells. */
export interface PassOver {
  readonly from: number;
  readonly to: number;
  readonly gaps: readonly number[];
}

/**
 * The passes that tell the attention of these gaps, ascending: each gap is in one of them with the two turns on each side of it, or as many as
 * fit. Gaps whose turns overlap share a pass. `sizes` are pieces a turn; any two neighbours must fit into `most`.
 */
export function passesOver(sizes: readonly number[], gaps: readonly number[], most: number): PassOver[] {
  const filled = (from: number, to: number): number => sizes.slice(from, to).reduce((sum, size) => sum + size, 0);
  const passes: { from: number; to: number; gaps: number[] }[] = [];
  for (const gap of gaps) {
    let [from, to] = [gap - 1, gap + 1];
    for (let side = 2; side <= ATTENTION_SIDE; side++) {
      if (gap >= side && filled(gap - side, to) <= most) from = gap - side;
      if (gap + side <= sizes.length && filled(from, gap + side) <= most) to = gap + side;
    }
    const last = passes.at(-1);
    if (last !== undefined && from < last.to && filled(last.from, to) <= most) {
      last.to = Math.max(last.to, to);
      last.gaps.push(gap);
    } else passes.push({ from, to, gaps: [gap] });
  }
  return passes;
}
