/** How well dialogues were cut, per cent over all of them together. */
export interface CutQuality {
  /** Of exact borders. */
  readonly f1: number;
  /** Share of windows whose ends are wrongly said to be in one topic or in two; lower is better. */
  readonly pk: number;
  /** Share of windows whose number of borders is wrong; lower is better. */
  readonly windowDiff: number;
}

/** A dialogue's true and found borders. */
export interface Cut {
  readonly turns: number;
  readonly truth: readonly number[];
  readonly found: readonly number[];
}

/** Exact F1, Pk and WindowDiff; a window is half the dialogue's mean true topic, at least 2 (facts/baselines.md 3). */
export function qualityOf(cuts: readonly Cut[]): CutQuality {
  let [hits, trueBorders, foundBorders, windows, unlike, miscounted] = [0, 0, 0, 0, 0, 0];
  for (const { turns, truth, found } of cuts) {
    hits += found.filter((at) => truth.includes(at)).length;
    trueBorders += truth.length;
    foundBorders += found.length;
    const window = Math.max(2, Math.round(turns / (truth.length + 1) / 2));
    for (let from = 0; from + window < turns; from++) {
      const inside = (borders: readonly number[]): number => borders.filter((at) => at > from && at <= from + window).length;
      const [right, said] = [inside(truth), inside(found)];
      windows += 1;
      if ((right === 0) !== (said === 0)) unlike += 1;
      if (right !== said) miscounted += 1;
    }
  }
  const share = (part: number, whole: number): number => (whole === 0 ? 0 : (100 * part) / whole);
  return {
    f1: share(2 * hits, trueBorders + foundBorders),
    pk: share(unlike, windows),
    windowDiff: share(miscounted, windows),
  };
}
