/** A word as it stands in a text, with its punctuation, and what stood before it: white space, or nothing. */
export interface Unit {
  readonly before: string;
  readonly text: string;
}

const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Khmer}\p{sc=Lao}\p{sc=Myanmar}]/u;

// A fixed locale: the machine's own must not decide what a compressed text says.
const SEGMENTER = new Intl.Segmenter('en', { granularity: 'word' });

/**
 * The units that compression keeps or leaves out, whole: runs without white space, and the words that `Intl.Segmenter` sees
 * where a script writes several without a space. Joined again they give the text without its trailing white space.
 */
export function unitsOf(text: string): Unit[] {
  const units: Unit[] = [];
  for (const [, before = '', run = ''] of text.matchAll(/(\s*)(\S+)/gu)) {
    const words = UNSPACED.test(run) ? wordsOfRun(run) : [run];
    words.forEach((word, at) => units.push({ before: at === 0 ? before : '', text: word }));
  }
  return units;
}

/** Punctuation stays with the word before it, as it does where words are spaced. */
function wordsOfRun(run: string): string[] {
  const words: string[] = [];
  for (const { segment, isWordLike } of SEGMENTER.segment(run)) {
    if (isWordLike || words.length === 0) words.push(segment);
    else words.push(`${words.pop()}${segment}`);
  }
  return words;
}

/** What is known of one text's units, all in their order. */
export interface Weighing {
  /** Higher is kept first. */
  readonly scores: readonly number[];
  /** Tokens a unit. */
  readonly tokens: readonly number[];
  /** What stays whatever its score. */
  readonly kept: readonly boolean[];
  /** Whether the unit says something: has a letter, a digit or a symbol. Others are only kept beside a word that is. */
  readonly telling: readonly boolean[];
}

/**
 * Which units to keep so that `keepShare` of the tokens stay: first what must stay, then by score (the earlier one of two
 * equals), as long as the next brings the share nearer to the one asked for.
 */
export function keepBest({ scores, tokens, kept, telling }: Weighing, keepShare: number): boolean[] {
  const keep = [...kept];
  const wanted = keepShare * tokens.reduce((sum, count) => sum + count, 0);
  let have = tokens.reduce((sum, count, at) => (keep[at] ? sum + count : sum), 0);
  const order = tokens.flatMap((_, at) => (keep[at] || !telling[at] ? [] : [at]));
  order.sort((a, b) => (scores[b] as number) - (scores[a] as number) || a - b);
  for (const at of order) {
    const count = tokens[at] as number;
    if (have + count - wanted > wanted - have) continue;
    keep[at] = true;
    have += count;
  }
  return keep;
}

/** The kept units in their order: neighbours as they stood, and one space or line end where something was left out between. */
export function joinKept(units: readonly Unit[], keep: readonly boolean[]): string {
  let text = '';
  let gap = '';
  let skipped = false;
  units.forEach((unit, at) => {
    gap += unit.before;
    if (!keep[at]) {
      skipped = true;
      return;
    }
    if (text === '' && skipped) text += unit.text;
    else text += `${skipped ? shortened(gap) : gap}${unit.text}`;
    gap = '';
    skipped = false;
  });
  return text;
}

function shortened(gap: string): string {
  if (gap === '') return '';
  return gap.includes('\n') ? '\n' : ' ';
}

/** Ranks from 0 (lowest) to 1; equal values share the mean of their ranks. One value alone ranks 1. */
export function ranksOf(values: readonly number[]): number[] {
  if (values.length < 2) return values.map(() => 1);
  const order = values.map((_, at) => at).sort((a, b) => (values[a] as number) - (values[b] as number));
  const ranks = new Array<number>(values.length);
  for (let from = 0; from < order.length;) {
    let to = from + 1;
    while (to < order.length && values[order[to] as number] === values[order[from] as number]) to += 1;
    for (let at = from; at < to; at++) ranks[order[at] as number] = (from + to - 1) / 2 / (order.length - 1);
    from = to;
  }
  return ranks;
}

/**
 * Runs of neighbours that hold at most `most` each and are about equally full, so that no window is a short rest without
 * context. An element that holds more than `most` is a run of its own. Each run is [from, to).
 */
export function windowsOf(sizes: readonly number[], most: number): (readonly [number, number])[] {
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const aim = total / Math.max(1, Math.ceil(total / most));
  const windows: [number, number][] = [];
  let filled = 0;
  sizes.forEach((size, at) => {
    const last = windows.at(-1);
    if (last === undefined || filled + size > most || filled >= aim) {
      windows.push([at, at + 1]);
      filled = size;
    } else {
      last[1] = at + 1;
      filled += size;
    }
  });
  return windows;
}
