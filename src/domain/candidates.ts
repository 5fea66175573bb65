import { DUPLICATE, isDuplicate } from './duplicate.js';
import { compareFacts, isStrictlyLater, type PlacedFact } from './fact-order.js';
import type { SemanticNode } from './graph.js';
import { statementOf, type Statement } from './statement.js';
import type { CandidateLink } from './update-queue.js';

/** What of a fact is needed to tell which others it is held against. */
export type CandidateFact = PlacedFact & Pick<SemanticNode, 'text' | 'speaker'>;

/** Two facts that may have to do with each other, by id, in either order. */
export interface Nomination {
  readonly one: string;
  readonly other: string;
  /** Of their vectors. */
  readonly cosine: number;
  /** Whether both name an entity that few facts name. */
  readonly rare: boolean;
}

/** How candidates are chosen (design.md 3.3). Least cosines, tuned on LoCoMo (docs/decisions/sleep-candidates.md). */
export const CANDIDATES = {
  /** Facts that a search nominates for each fresh one, and candidates of a target that are kept. */
  nominated: 20,
  kept: 10,
  /** A rare entity stands in so many facts at most. */
  rareFacts: 20,
  /** Near enough to be worth a question, whatever they say; and where two speakers speak of two people. */
  near: 0.78,
  nearOfOthers: 0.85,
  /** Near enough to be shown beside those that are worth a question. */
  beside: 0.6,
  entity: 0.4,
  /** What was meant has happened; what was under way has. */
  intended: 0.5,
  underWay: 0.6,
  denial: 0.55,
  value: 0.7,
} as const;

/**
 * The links of nominated facts, each from an earlier to a later one. A later fact is a target, worth one question to a model,
 * where one of its candidates may be the same, or may be what it changes: they are near, or say much the same in other values,
 * or name the same rare thing, or what was meant has happened. Then the nearest others are shown beside, to ten in all. Of what
 * is only about the same thing nobody is asked: among 677 observations of LoCoMo 510 have an earlier one at cosine 0.6. The
 * same links for the same nominations, in whatever order.
 */
export function candidateLinks(facts: ReadonlyMap<string, CandidateFact>, nominations: readonly Nomination[]): CandidateLink[] {
  const statements = new Map<string, Statement>();
  const read = ({ id, text }: CandidateFact): Statement => {
    const statement = statements.get(id) ?? statementOf(text);
    statements.set(id, statement);
    return statement;
  };
  return [...byTarget(facts, nominations)].flatMap(([id, pairs]) => {
    const later = facts.get(id) as CandidateFact;
    const about = pairs.filter(({ earlier, cosine }) => areOfOne(earlier, later, read) || cosine >= CANDIDATES.nearOfOthers);
    const telling = about.flatMap((pair, rank) => {
      const by = reasonOf(pair, later, rank, read);
      return by === undefined ? [] : [linkOf(pair.earlier, later, pair.cosine, by)];
    });
    if (telling.length === 0) return [];
    const kept = telling.slice(0, CANDIDATES.kept);
    const known = new Set(telling.map(({ earlier }) => earlier));
    const others = about.filter(({ earlier, cosine }) => cosine >= CANDIDATES.beside && !known.has(earlier.id));
    const beside = others.slice(0, CANDIDATES.kept - kept.length);
    return [...kept, ...beside.map(({ earlier, cosine }) => linkOf(earlier, later, cosine, 'beside'))];
  });
}

interface Pair {
  readonly earlier: CandidateFact;
  readonly cosine: number;
  readonly rare: boolean;
}

/** Nominations by their later end, the nearest first; a pair nominated twice counts once. */
function byTarget(facts: ReadonlyMap<string, CandidateFact>, nominations: readonly Nomination[]): Map<string, Pair[]> {
  const targets = new Map<string, Map<string, Pair>>();
  for (const { one, other, cosine, rare } of nominations) {
    const [a, b] = [facts.get(one), facts.get(other)];
    if (a === undefined || b === undefined || one === other) continue;
    const [earlier, later] = compareFacts(a, b) < 0 ? [a, b] : [b, a];
    const pairs = targets.get(later.id) ?? new Map<string, Pair>();
    const known = pairs.get(earlier.id);
    pairs.set(earlier.id, { earlier, cosine: Math.max(cosine, known?.cosine ?? -1), rare: rare || known?.rare === true });
    targets.set(later.id, pairs);
  }
  const nearest = (a: Pair, b: Pair): number => b.cosine - a.cosine || compareFacts(a.earlier, b.earlier);
  return new Map([...targets].sort(([a], [b]) => (a < b ? -1 : 1)).map(([id, pairs]) => [id, [...pairs.values()].sort(nearest)]));
}

/** What two people say of themselves has nothing to do with each other, however alike it is. */
function areOfOne(a: CandidateFact, b: CandidateFact, read: (fact: CandidateFact) => Statement): boolean {
  if (a.speaker === undefined || b.speaker === undefined || a.speaker === b.speaker) return true;
  const subject = read(a).subject;
  return subject !== undefined && subject === read(b).subject;
}

function reasonOf(
  { earlier, cosine, rare }: Pair,
  later: CandidateFact,
  rank: number,
  read: (fact: CandidateFact) => Statement,
): 'near' | 'entity' | undefined {
  if (cosine >= CANDIDATES.near || (cosine >= DUPLICATE.shorter && isDuplicate(earlier, later, cosine))) return 'near';
  if (rare && cosine >= CANDIDATES.entity) return 'entity';
  const [before, after] = [read(earlier), read(later)];
  const shared = [...before.words].filter((word) => after.words.has(word)).length;
  const isTelling =
    saysMuchTheSame(before, after, shared) ||
    (cosine >= CANDIDATES.value && shared > 0 && [...after.values].some((value) => !before.values.has(value))) ||
    (cosine >= CANDIDATES.denial && shared > 1 && before.denials !== after.denials) ||
    (isStrictlyLater(later, earlier) && hasComeAbout(before, after, { cosine, shared, rank }));
  return isTelling ? 'near' : undefined;
}

/** Half of the words of a short statement ("works on Heron", "works on Osprey"), more of a longer one, whatever the vectors say. */
function saysMuchTheSame(a: Statement, b: Statement, shared: number): boolean {
  const fewest = Math.min(a.words.size, b.words.size);
  return shared > 0 && shared >= (fewest <= 3 ? 0.5 : 0.6) * fewest;
}

/** "looking for a flat" and "moved in": what was meant or under way, and what happened since, among the nearest. */
function hasComeAbout(
  before: Statement,
  after: Statement,
  { cosine, shared, rank }: { cosine: number; shared: number; rank: number },
): boolean {
  const least = { intended: CANDIDATES.intended, 'under way': CANDIDATES.underWay, happened: Infinity, so: Infinity };
  return cosine >= least[before.aspect] && after.aspect === 'happened' && (rank < 3 || (rank < CANDIDATES.kept && shared > 0));
}

/** What is worth a question weighs more than whatever stands beside it. */
function linkOf(earlier: CandidateFact, later: CandidateFact, cosine: number, by: CandidateLink['by']): CandidateLink {
  const nearness = Math.min(1, Math.max(0, cosine)) / 2;
  return { earlier: earlier.id, later: later.id, weight: by === 'beside' ? nearness : 0.5 + nearness, by };
}
