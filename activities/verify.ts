import { fuseVerified } from '../src/store/recall.js';
import type { StepLink } from '../src/domain/graph.js';
import type { VerifyInput } from './contract.js';
import { linksOf } from './formation.js';

/**
 * The links after a verify call: the best of the short list by dense, BM25 and the model's score, in place of those of the
 * short list that stood before; the others stay. A candidate that the model gave no score counts as 0.
 */
export function chosenLinks(input: VerifyInput, verdicts: ReadonlyMap<number, number>): StepLink[] {
  const { shortlist, keep, links, retrieval, act } = input;
  const scored = shortlist.map((candidate) => ({ ...candidate, id: candidate.nodeId, llm: verdicts.get(candidate.number) ?? 0 }));
  const ranked = fuseVerified(scored, retrieval);
  const chosen = ranked.slice(0, keep).map(({ id, score }) => ({ ...(shortlist.find(({ nodeId }) => nodeId === id) as (typeof shortlist)[number]), score }));
  const listed = new Set(shortlist.map(({ number }) => number));
  const verified = linksOf(chosen, input, act, 'verified');
  const others = links.filter(({ number }) => !listed.has(number));
  return act === 'activates' ? [...verified, ...others] : [...others, ...verified];
}
