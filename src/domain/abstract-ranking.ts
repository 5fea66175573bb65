/** A candidate as its ranking sees it: the fused score, and BM25 of the query's words. */
export interface RankedFact {
  readonly id: string;
  readonly score: number;
  readonly bm25: number;
}

/**
 * The ranking with general facts behind what they were made of, where the question is specific: where a member has more of its
 * telling words than the general fact has. A general question leaves the order as it is. `membersOf` gives what a general fact
 * was made of, and undefined for any other. Best first in, best first out; scores never rise.
 */
export function membersFirst<Fact extends RankedFact>(
  ranked: readonly Fact[],
  membersOf: (fact: Fact) => readonly string[] | undefined,
): Fact[] {
  const byId = new Map(ranked.map((fact) => [fact.id, fact]));
  const lowered = new Set<string>();
  const scored = ranked.map((fact) => {
    const members = (membersOf(fact) ?? []).flatMap((id) => byId.get(id) ?? []);
    const better = members.filter(({ bm25, score }) => bm25 > fact.bm25 && score <= fact.score);
    if (better.length === 0) return fact;
    lowered.add(fact.id);
    return { ...fact, score: Math.min(...better.map(({ score }) => score)) };
  });
  if (lowered.size === 0) return [...ranked];
  return scored.sort((a, b) => b.score - a.score || Number(lowered.has(a.id)) - Number(lowered.has(b.id)));
}
