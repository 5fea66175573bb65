import type { StepLink } from '../src/domain/graph.js';
import { fuseVerified } from '../src/store/recall.js';
import type { VerifyInput } from './contract.js';
import { linksOf, told } from './formation.js';

/** The best of the short list by dense, BM25 and the model's score. A candidate that the model gave no score counts as 0. */
export function chosenLinks(input: VerifyInput, verdicts: ReadonlyMap<number, number>): StepLink[] {
  const { shortlist, keep, retrieval, act } = input;
  const scored = shortlist.map((candidate) => ({ ...candidate, id: candidate.nodeId, llm: verdicts.get(candidate.number) ?? 0 }));
  const chosen = fuseVerified(scored, retrieval).slice(0, keep);
  return linksOf(
    chosen.map((candidate) => ({ ...candidate, score: told(candidate.score) })),
    input,
    act,
    'verified',
  );
}
