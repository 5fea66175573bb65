import type { SemanticNode } from './graph.js';
import { statementOf, type Statement } from './statement.js';

/** What of a fact is held against another to tell whether both say the same. */
export type StatedFact = Pick<SemanticNode, 'text' | 'speaker' | 'validFrom'>;

/**
 * Least cosines, and of the telling words of the shorter one the share that both have, at which two statements that agree in
 * all else count as one. Tuned on 100 labelled pairs of LoCoMo's observations (docs/decisions/sleep-candidates.md).
 */
export const DUPLICATE = {
  /** Every word of the one is in the other: nothing is lost with it, so that the vectors need to agree least. */
  shorter: 0.75,
  /** Much the same words. */
  reworded: { cosine: 0.8, share: 0.5 },
  /** Other words for the same. */
  paraphrase: { cosine: 0.85, share: 0.3 },
} as const;

/** What happened twice this long apart is two events. */
const FORTNIGHT_MS = 14 * 86_400_000;

/**
 * Whether two facts say the same, decided without a model, in either order; `cosine` is that of their vectors. A merge of two
 * distinct facts is the costly error, so nearness is never enough: speaker, denials, numbers, days, names, times, and whether
 * something is meant, under way, done or so must agree as well.
 */
export function isDuplicate(a: StatedFact, b: StatedFact, cosine: number): boolean {
  if (a.speaker !== undefined && b.speaker !== undefined && a.speaker !== b.speaker) return false;
  const [one, other] = [statementOf(a.text), statementOf(b.text)];
  const near = isNear(a.validFrom, b.validFrom);
  if (one.timed && other.timed && !near) return false;
  if (plain(a.text) === plain(b.text)) return true;
  if (one.denials !== other.denials || !one.latin || !other.latin || one.subject !== other.subject) return false;
  if (cosine >= DUPLICATE.shorter && (isShorter(one, other) || isShorter(other, one))) return true;
  const happened = one.aspect === 'happened' && (one.timed || other.timed);
  if ((happened && !near) || !agree(one, other)) return false;
  return [DUPLICATE.reworded, DUPLICATE.paraphrase].some(
    (least) => cosine >= least.cosine && sharesWords(one, other, least.share),
  );
}

/**
 * What two facts that say the same say from now on: the wording of the earlier, unless the later one has all of its words and
 * more. The longer of two wordings was tried: recall of LoCoMo's evidence fell (docs/decisions/sleep-candidates.md).
 */
export function wordingOfBoth(earlier: string, later: string): string {
  const [one, other] = [statementOf(earlier), statementOf(later)];
  return one.words.size < other.words.size && saysAllOf(one, other) ? later : earlier;
}

/** Everything that the shorter one says the longer one says too. */
function isShorter(shorter: Statement, longer: Statement): boolean {
  const alike = (shorter.aspect === 'intended') === (longer.aspect === 'intended') && shorter.possessive === longer.possessive;
  return alike && shorter.words.size >= 2 && saysAllOf(shorter, longer);
}

const saysAllOf = (shorter: Statement, longer: Statement): boolean =>
  (['words', 'values', 'names'] as const).every((part) => isWithin(shorter[part], longer[part]));

function agree(a: Statement, b: Statement): boolean {
  const alike = a.aspect === b.aspect && a.possessive === b.possessive && a.turns === b.turns;
  const sameValues = isWithin(a.values, b.values) && isWithin(b.values, a.values);
  return alike && sameValues && (isWithin(a.names, b.names) || isWithin(b.names, a.names));
}

/** One word for one other is another value ("green tea", "black tea"), however near the rest is. */
function sharesWords({ words: a }: Statement, { words: b }: Statement, share: number): boolean {
  const shared = [...a].filter((word) => b.has(word)).length;
  if (a.size === shared + 1 && b.size === shared + 1) return false;
  return shared >= Math.max(1, share * Math.min(a.size, b.size)) && (share < DUPLICATE.reworded.share || shared >= 2);
}

const isWithin = (some: ReadonlySet<string>, all: ReadonlySet<string>): boolean => [...some].every((one) => all.has(one));

/** Of times unknown it is not known that they are near. */
function isNear(a: string | undefined, b: string | undefined): boolean {
  return a !== undefined && b !== undefined && Math.abs(Date.parse(a) - Date.parse(b)) <= FORTNIGHT_MS;
}

/** What two texts are compared by: neither case nor punctuation tells them apart. */
const plain = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{S}]+/gu, ' ')
    .trim();
