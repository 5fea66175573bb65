import { CATEGORIES, type Question } from './recall-locomo.js';

/** Depths at which recall is told. */
export const DEPTHS = [1, 3, 5, 10, 20] as const;

/** Tokens that the turns of a budget have together at most. */
const BUDGET = 1_000;

/** How deep lists must be for the budget: fifteen tokens a turn are few. */
export const DEEPEST = 64;

/** How one system did on one question. */
export interface Found {
  readonly system: string;
  readonly conversation: string;
  readonly category: string;
  /** Share of the evidence among the first k, for each depth. */
  readonly recall: readonly number[];
  readonly reciprocalRank: number;
  /** Share of the evidence in the budget, filled in the order of the list; a turn that does not fit is passed over. */
  readonly budget: number;
  readonly tokensAt10: number;
}

/** MRR counts a rank beyond the deepest of `DEPTHS` as not found, for every system alike. */
export function measure(ranking: readonly string[], { evidence, category }: Question, tokens: ReadonlyMap<string, number>) {
  const ranks = evidence.map((id) => ranking.slice(0, Math.max(...DEPTHS)).indexOf(id)).filter((rank) => rank >= 0);
  const size = (id: string): number => tokens.get(id) ?? 0;
  const inside = new Set<string>();
  let spent = 0;
  for (const id of ranking.slice(0, DEEPEST)) {
    if (spent + size(id) > BUDGET) continue;
    inside.add(id);
    spent += size(id);
  }
  return {
    category,
    recall: DEPTHS.map((depth) => ranks.filter((rank) => rank < depth).length / evidence.length),
    reciprocalRank: ranks.length > 0 ? 1 / (Math.min(...ranks) + 1) : 0,
    budget: evidence.filter((id) => inside.has(id)).length / evidence.length,
    tokensAt10: ranking.slice(0, 10).reduce((sum, id) => sum + size(id), 0),
  };
}

/** Means over questions, in per cent, but for the tokens. */
export function means(found: readonly Found[]): Record<string, number> {
  const mean = (value: (one: Found) => number): number =>
    found.reduce((sum, one) => sum + value(one), 0) / Math.max(1, found.length);
  const perCent = (value: (one: Found) => number): number => Math.round(mean(value) * 10_000) / 100;
  return {
    ...Object.fromEntries(DEPTHS.map((depth, at) => [`r${depth}`, perCent(({ recall }) => recall[at] ?? 0)])),
    mrr: perCent(({ reciprocalRank }) => reciprocalRank),
    budget1000: perCent(({ budget }) => budget),
    tokensAt10: Math.round(mean(({ tokensAt10 }) => tokensAt10) * 10) / 10,
  };
}

const RESAMPLES = 2_000;

/**
 * What one system's recall@10 is above another's, in points: the mean over questions, and the paired 95 % interval of it (2,000
 * bootstrap samples of the questions, seeded, so that a run gives the same again). Both lists are of the same questions in the
 * same order.
 */
export function gain(ours: readonly Found[], theirs: readonly Found[]): { mean: number; low: number; high: number } {
  const at10 = DEPTHS.indexOf(10);
  const differences = ours.map(({ recall }, at) => (recall[at10] ?? 0) - (theirs[at]?.recall[at10] ?? 0));
  const random = seeded(0);
  const sampled = Array.from({ length: RESAMPLES }, () => {
    let sum = 0;
    for (let i = 0; i < differences.length; i++) sum += differences[Math.floor(random() * differences.length)] ?? 0;
    return sum / Math.max(1, differences.length);
  }).sort((a, b) => a - b);
  const points = (share: number): number => Math.round(share * 10_000) / 100;
  const mean = differences.reduce((sum, one) => sum + one, 0) / Math.max(1, differences.length);
  return {
    mean: points(mean),
    low: points(sampled[Math.floor(0.025 * RESAMPLES)] ?? 0),
    high: points(sampled[Math.ceil(0.975 * RESAMPLES) - 1] ?? 0),
  };
}

/** Mulberry32: 0 to 1, the same series for the same seed. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The means of each system by category of question. */
export function tableOf(found: readonly Found[], systems: readonly string[]): string {
  const names = Object.keys(means([]));
  const row = (cells: readonly string[]): string =>
    cells.map((cell, at) => (at < 2 ? cell.padEnd(12) : cell.padStart(at > 7 ? 11 : 7))).join('');
  const lines = [row(['questions', 'system', ...names])];
  for (const category of [...Object.values(CATEGORIES), 'all']) {
    for (const system of systems) {
      const some = found.filter((one) => one.system === system && (category === 'all' || one.category === category));
      const figures = means(some);
      if (some.length > 0) lines.push(row([category, system, ...names.map((name) => (figures[name] ?? 0).toFixed(1))]));
    }
  }
  return lines.join('\n');
}
