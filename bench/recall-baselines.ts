import stem from 'wink-porter2-stemmer';

/**
 * The guard baselines, rebuilt in the same run from nothing of ours but the vectors: another tokeniser, another BM25, another
 * fusion. Recipe of facts on LoCoMo retrieval: lower case, `[a-z0-9]+('[a-z]+)?` without the apostrophe's part, a stop list of
 * some 90 words, Snowball English; k1 .9, b .4, idf ln(1 + (N - n + .5) / (n + .5)); min-max over the whole conversation.
 */
const K1 = 0.9;
const B = 0.4;

const STOP = new Set(
  (
    'a an the and or but if then so of at by for with about into to from in on off out up down over is am are was were be been ' +
    'being have has had do does did will would can could should may might must i me my we our us you your he him his she her it ' +
    'its they their them this that these those what which who whom when where why how as not no nor than too very just'
  ).split(' '),
);

const tokens = (text: string): string[] =>
  [...text.toLowerCase().matchAll(/[a-z0-9]+(?:'[a-z]+)?/gu)]
    .map(([token]) => token.replace(/'[a-z]+$/u, ''))
    .filter((token) => !STOP.has(token))
    .map((token) => (/^[a-z]+$/u.test(token) ? stem(token) : token));

/** A scorer over one conversation's units: a score for each unit, in their order. */
export type Scorer = (query: string) => number[];

export function bm25Over(units: readonly string[]): Scorer {
  const texts = units.map(tokens);
  const average = texts.reduce((sum, text) => sum + text.length, 0) / Math.max(1, texts.length);
  const having = new Map<string, number>();
  for (const text of texts) for (const token of new Set(text)) having.set(token, (having.get(token) ?? 0) + 1);
  return (query) => {
    const asked = tokens(query);
    return texts.map((text) =>
      asked.reduce((score, token) => {
        const count = text.filter((one) => one === token).length;
        const n = having.get(token) ?? 0;
        const idf = Math.log(1 + (texts.length - n + 0.5) / (n + 0.5));
        return score + (idf * count * (K1 + 1)) / (count + K1 * (1 - B + (B * text.length) / average));
      }, 0),
    );
  };
}

/** Cosine of unit vectors. */
export const cosines = (units: readonly (readonly number[])[], query: readonly number[]): number[] =>
  units.map((unit) => unit.reduce((sum, value, at) => sum + value * (query[at] ?? 0), 0));

/** The weighted sum of halves: each signal min-max normalised over the whole conversation. */
export function weightedSum(dense: readonly number[], sparse: readonly number[]): number[] {
  const [a, b] = [minMax(dense), minMax(sparse)];
  return a.map((value, at) => 0.5 * value + 0.5 * (b[at] ?? 0));
}

/** Brought to 0..1 over the list; all 0 where all are alike. */
export function minMax(scores: readonly number[]): number[] {
  const [least, most] = [Math.min(...scores), Math.max(...scores)];
  return scores.map((score) => (most > least ? (score - least) / (most - least) : 0));
}
