/** How much each signal counts. None is below 0, and of those that a search uses one is above. */
export interface Weights {
  readonly denseWeight: number;
  readonly bm25Weight: number;
  /** The verifier's word; counts only for candidates that it was asked about. */
  readonly llmWeight: number;
}

/** FluxMem's weights (its retrieval settings; design.md 3.1). Measured with the normalisation of `fuse`, see there. */
export const DEFAULT_WEIGHTS: Weights = { denseWeight: 1.0, bm25Weight: 0.5, llmWeight: 0.3 };

/** What BM25 needs to know of the collection; see `TermStatistics` of the vector store port. */
export interface CollectionStatistics {
  readonly documents: number;
  readonly averageLength: number;
  readonly frequency: Readonly<Record<string, number>>;
}

/**
 * Saturation and length normalisation for short texts: k1 as in the baseline recipe for LoCoMo turns; b 0.2 instead of its 0.4,
 * since our words count a compound and its parts, so that lengths differ more than contents do (MRR of the default search on
 * the three tuning conversations 53.7 with 0.4, 55.0 with 0.2).
 */
export const BM25_PARAMETERS = { k1: 0.9, b: 0.2 };

/**
 * BM25 of one text for a query; 0 where they share no word. `counts` are the text's word counts, `length` their sum; a word
 * asked twice counts once. The inverse document frequency is ln(1 + (N - n + .5) / (n + .5)): never negative.
 */
export function bm25(
  counts: Readonly<Record<string, number>>,
  length: number,
  queryWords: readonly string[],
  { documents, averageLength, frequency }: CollectionStatistics,
  { k1, b } = BM25_PARAMETERS,
): number {
  let score = 0;
  for (const word of new Set(queryWords)) {
    const count = own(counts, word);
    if (count === 0) continue;
    // A text seen as of an earlier time may not be among those counted now.
    const having = Math.max(1, own(frequency, word));
    const all = Math.max(documents, having);
    const idf = Math.log(1 + (all - having + 0.5) / (having + 0.5));
    const relativeLength = averageLength > 0 ? length / averageLength : 1;
    score += (idf * count * (k1 + 1)) / (count + k1 * (1 - b + b * relativeLength));
  }
  return score;
}

/** Counts may come from JSON, where a word like `constructor` would find what every object has. */
const own = (counts: Readonly<Record<string, number>>, word: string): number =>
  Object.hasOwn(counts, word) ? (counts[word] ?? 0) : 0;

/** A candidate with its raw signals: cosine, BM25, and the verifier's 0 to 1 where it was asked. */
export interface Signals {
  readonly id: string;
  readonly dense: number;
  readonly bm25: number;
  readonly llm?: number;
}

/**
 * Candidates with their fused scores, 0 to 1, best first, ties by id; the order they come in does not matter. Each signal is
 * brought to 0..1 by what it means rather than by the worst candidate that happens to be there (min-max over candidates moves
 * with their number): a cosine counts from 0, which is unrelated; BM25, which has no scale of its own, as the square of its
 * share of the best candidate's, so that a text with all of the query's telling words stands out from many with one of them.
 * The sum is weighted and divided by the weights. A signal that no candidate has adds nothing.
 *
 * Measured on the three tuning conversations of LoCoMo (383 questions, recall@10 / MRR, weights 1.0 / 0.5): min-max over 100
 * candidates 69.8 / 49.4, cosine and share 71.8 / 52.4, and with all that `Recall.search` does 76.5 / 55.0, where a sum of
 * halves over the whole conversation, the baseline `wsum`, has 72.2 / 53.3.
 */
export function fuse<Candidate extends Signals>(
  candidates: readonly Candidate[],
  { denseWeight, bm25Weight, llmWeight }: Weights,
): (Candidate & { readonly score: number })[] {
  const best = candidates.reduce((most, { bm25: score }) => Math.max(most, score), 0);
  const asked = candidates.some(({ llm }) => llm !== undefined);
  const all = denseWeight + bm25Weight + (asked ? llmWeight : 0);
  return candidates
    .map((candidate) => {
      const dense = Math.min(1, Math.max(0, candidate.dense));
      const share = best > 0 ? candidate.bm25 / best : 0;
      const sum = denseWeight * dense + bm25Weight * share ** 2 + (asked ? llmWeight * (candidate.llm ?? 0) : 0);
      return { ...candidate, score: all > 0 ? sum / all : 0 };
    })
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
}
