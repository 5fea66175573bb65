import { bm25Over, cosines, minMax } from './recall-baselines.js';
import type { Conversation, Observation, Turn } from './recall-locomo.js';

/**
 * The structured guard baselines P, S and SF, rebuilt in the same run over the whole conversation, with the data set's own
 * sessions: what a search over our store has to hold its own against. Recipes as measured in the facts on LoCoMo retrieval.
 */
export interface StructuredScores {
  /** .5 MiniLM of the turn, name-free query + .5 BM25 of the dated turn, smoothed. */
  readonly p: readonly number[];
  /** g + .3 minmax(mean of the session's best three g), g = .6 MiniLM of the text alone + .4 BM25 + .3 of the one speaker named. */
  readonly s: readonly number[];
  /** minmax(S) + .3 F, F of a turn the best of the facts that cite it: .5 MiniLM + .5 BM25 of the dated fact. */
  readonly sf: readonly number[];
}

type Embed = (texts: readonly string[]) => Promise<readonly (readonly number[])[]>;

/** Builds the scorers of one conversation; the scores are in the order of its turns. */
export async function structuredOver(
  { turns, observations }: Conversation,
  embed: Embed,
): Promise<(query: string) => Promise<StructuredScores>> {
  const speakers = [...new Set(turns.map(({ speaker }) => speaker))];
  const sparse = bm25Over(turns.map(dated));
  const factWords = bm25Over(observations.map(({ text, at }) => `[${dayOf(at)}] ${text}`));
  const whole = await embed(turns.map(({ speaker, text }) => `${speaker}: ${text}`));
  const bare = await embed(turns.map(({ text }) => text));
  const facts = await embed(observations.map(({ text }) => text));
  return async (query) => {
    const named = speakers.filter((name) => nameIn(name).test(query));
    const nameless = speakers
      .reduce((text, name) => text.replace(nameIn(name), ''), query)
      .replace(/\s+/gu, ' ')
      .trim();
    const [vector = []] = await embed([nameless]);
    const words = minMax(smoothed(turns, sparse(query), 0.5, 0.3));
    const plain = minMax(cosines(whole, vector));
    const p = plain.map((score, at) => 0.5 * score + 0.5 * (words[at] ?? 0));
    const dense = minMax(smoothed(turns, cosines(bare, vector), 0.2, 0.1));
    const g = turns.map(
      ({ speaker }, at) =>
        0.6 * (dense[at] ?? 0) + 0.4 * (words[at] ?? 0) + (named.length === 1 && named[0] === speaker ? 0.3 : 0),
    );
    const prior = minMax(bestThree(turns, g));
    const s = g.map((score, at) => score + 0.3 * (prior[at] ?? 0));
    const f = flow(turns, observations, minMax(cosines(facts, vector)), minMax(factWords(query)));
    return { p, s, sf: minMax(s).map((score, at) => score + 0.3 * (f[at] ?? 0)) };
  };
}

const dated = ({ speaker, text, at }: Turn): string => `[${dayOf(at)}] ${speaker}: ${text}`;

/** `8 May 2023` */
const dayOf = (at: string): string =>
  new Date(at).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });

const nameIn = (name: string): RegExp => new RegExp(`\\b${name}(?:['’]s)?\\b`, 'giu');

/** A score with its neighbours' of the same session. */
function smoothed(turns: readonly Turn[], scores: readonly number[], before: number, after: number): number[] {
  const near = (at: number, other: number): number => (turns[at]?.session === turns[other]?.session ? (scores[other] ?? 0) : 0);
  return scores.map((score, at) => score + before * near(at, at - 1) + after * near(at, at + 1));
}

function bestThree(turns: readonly Turn[], scores: readonly number[]): number[] {
  const bySession = new Map<number, number[]>();
  turns.forEach(({ session }, at) => bySession.set(session, [...(bySession.get(session) ?? []), scores[at] ?? 0]));
  const mean = new Map(
    [...bySession].map(([session, all]) => {
      const best = all.sort((a, b) => b - a).slice(0, 3);
      return [session, best.reduce((sum, score) => sum + score, 0) / best.length];
    }),
  );
  return turns.map(({ session }) => mean.get(session) ?? 0);
}

function flow(
  turns: readonly Turn[],
  facts: readonly Observation[],
  dense: readonly number[],
  words: readonly number[],
): number[] {
  const best = new Map<string, number>();
  facts.forEach(({ turns: cited }, at) => {
    const score = 0.5 * (dense[at] ?? 0) + 0.5 * (words[at] ?? 0);
    for (const id of cited) best.set(id, Math.max(score, best.get(id) ?? 0));
  });
  return turns.map(({ id }) => best.get(id) ?? 0);
}
