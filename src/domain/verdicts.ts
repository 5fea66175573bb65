import { isStrictlyLater } from './fact-order.js';
import { saysStill } from './fact-wording.js';
import type { SemanticNode } from './graph.js';
import type { Overlay } from './reconciliation.js';
import { NO_VERDICTS, type VerdictCounts, type VerdictKind } from './update-queue.js';

/** A model's word on one candidate. */
export interface Verdict {
  /** The number that the candidate was shown under; null where the model means none. */
  readonly n: number | null;
  readonly verdict: VerdictKind;
  /** For `merge` the united wording, for `abstract` the general one; else null. */
  readonly text: string | null;
}

/** What was made of a reply. */
export interface Decision {
  /** By candidate shown; `keep` where nothing else was accepted. */
  readonly verdicts: VerdictCounts;
  /** `memory 12`: never shown. `memory 2 again`: named before. `memory 3 not later`: it can't be replaced by what is not later. */
  readonly refused: readonly string[];
}

/**
 * Carries a reply about one target out on the overlay. `shown` are the candidates in the order of their numbers, from 1. The
 * first mention of a number counts; a number never shown is refused, and its target then stays as a fact of its own, since
 * nobody knows where it was to go. Only a strictly later fact replaces another, and none that was said again since. A merged
 * wording that keeps nothing of the target leaves it where it is: no statement is lost.
 */
export function decide(overlay: Overlay, target: string, shown: readonly string[], verdicts: readonly Verdict[]): Decision {
  const { accepted, refused, strayed } = sorted(verdicts, shown.length);
  const given: VerdictKind[] = [];
  const candidate = (n: number): string => shown[n - 1] ?? target;
  const of = (...kinds: readonly VerdictKind[]) => accepted.filter(({ verdict }) => kinds.includes(verdict));

  let self = target;
  const [first, ...others] = of('merge');
  if (first !== undefined) {
    self = merged(overlay, target, candidate(first.n), first.text, strayed);
    given.push('merge');
  }
  refused.push(...others.map(({ n }) => `memory ${n} beside memory ${first?.n}`));
  for (const { n, verdict } of of('supersede', 'contradict')) {
    const loser = candidate(n);
    if (!mayReplace(overlay.fact(target), overlay.fact(loser))) refused.push(`memory ${n} not later`);
    else {
      const { validFrom: validTo } = overlay.fact(target);
      overlay.replace(loser, self, { why: verdict === 'contradict' ? 'contradict' : 'supersede', validTo });
      given.push(verdict);
    }
  }
  const general = of('abstract');
  const text = general.map(worded).find((one) => one !== undefined);
  if (general.length > 0 && text === undefined) refused.push(...general.map(({ n }) => `memory ${n} without words`));
  else if (text !== undefined) {
    const members = [self, ...general.map(({ n }) => candidate(n))];
    overlay.abstract([...new Set(members)], text);
    given.push(...general.map(({ verdict }) => verdict));
  }
  for (const { n, verdict } of of('relate')) {
    if (candidate(n) === self) continue;
    overlay.relate(self, candidate(n));
    given.push(verdict);
  }
  return { verdicts: counted(given, shown.length), refused };
}

/** Whether the later fact may take the earlier one's place: it came after it was last said. */
export function mayReplace(later: SemanticNode, earlier: SemanticNode): boolean {
  if (!isStrictlyLater(later, earlier)) return false;
  return earlier.restatedAt === undefined || (later.validFrom !== undefined && later.validFrom > earlier.restatedAt);
}

type Accepted = Verdict & { readonly n: number };

function sorted(verdicts: readonly Verdict[], shown: number): { accepted: Accepted[]; refused: string[]; strayed: boolean } {
  const accepted = new Map<number, Accepted>();
  const refused: string[] = [];
  let strayed = false;
  for (const { n, ...said } of verdicts) {
    if (n === null) continue;
    if (n < 1 || n > shown) {
      refused.push(`memory ${n}`);
      strayed ||= said.verdict !== 'keep';
    } else if (accepted.has(n)) refused.push(`memory ${n} again`);
    else accepted.set(n, { n, ...said });
  }
  return { accepted: [...accepted.values()], refused, strayed };
}

/** Merges the target and returns the fact that now says what it said. */
function merged(overlay: Overlay, target: string, into: string, words: string | null, strayed: boolean): string {
  const text = worded({ text: words });
  const [own, other] = [overlay.fact(target).text, overlay.fact(into).text];
  const stays = strayed || (text !== undefined && !saysStill(text, own, other));
  overlay.merge(target, into, { ...(text !== undefined && { text }), stays });
  return stays ? target : into;
}

function worded({ text }: Pick<Verdict, 'text'>): string | undefined {
  const clean = (text ?? '').toWellFormed().trim();
  return clean === '' ? undefined : clean;
}

function counted(given: readonly VerdictKind[], shown: number): VerdictCounts {
  const counts: Record<VerdictKind, number> = { ...NO_VERDICTS };
  for (const verdict of given) counts[verdict] += 1;
  return { ...counts, keep: shown - given.length };
}
