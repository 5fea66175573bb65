/** What a skill's version is scored by. */
export interface PemsInput {
  /** Mean success of its source episodes, 0 to 1. */
  readonly eta: number;
  /** Current skills of the space, frozen for one sleep; at least 1 counts. */
  readonly skills: number;
  /** Length of its text, in tokens of o200k_base. */
  readonly tokens: number;
  /** 1 - cosine to the version before; 0 for the first. */
  readonly drift: number;
  /** False leaves the number of skills out, as the paper prints the formula. */
  readonly countSkills: boolean;
}

/**
 * Maturity of a skill's version [FluxMem: PEMS]: eta / (n * ln(max(tokens, e))) * (1 - min(drift, 1)) (design.md 3.3). From 0 to
 * 1: a text under e tokens counts as one of e, a version that points away from the one before (drift over 1) scores 0.
 */
export function pems({ eta, skills, tokens, drift, countSkills }: PemsInput): number {
  const length = Math.log(Math.max(tokens, Math.E));
  const count = countSkills ? Math.max(1, skills) : 1;
  // Cosines of rounded vectors may come out a little above 1.
  const steadiness = 1 - Math.min(Math.max(drift, 0), 1);
  return (eta / (count * length)) * steadiness;
}

/**
 * Whether a score has settled: it changed by less than this share of the round before. Never where nothing succeeds, nor from a
 * score of 0, of which every change is without measure.
 */
export function isSettled(before: number, after: number, eta: number, threshold: number): boolean {
  return eta > 0 && Math.abs(after - before) < threshold * before;
}
