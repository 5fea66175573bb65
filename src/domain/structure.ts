import { bm25, type CollectionStatistics, type Weights } from './ranking.js';
import { sessionsOf, type Placed } from './sessions.js';

/** What a turn shows of itself to a search. */
export interface TurnSignals extends Placed {
  readonly speaker?: string;
  /** Whether it ends as a question does. */
  readonly asks: boolean;
  /** Cosine to the query without names. */
  readonly dense: number;
  /** Its words with their counts, and how many they are in all. */
  readonly counts: Readonly<Record<string, number>>;
  readonly length: number;
  /** The best score of a fact drawn from it, 0 to 1; 0 where there is none. */
  readonly fact: number;
}

/** What is asked. */
export interface StructureQuery {
  readonly words: readonly string[];
  readonly statistics: CollectionStatistics;
  /** The speakers that the question names. */
  readonly named: readonly string[];
  readonly weights: Weights;
}

/** Shares of a neighbour's score that a turn gets: of the one before it and of the one after. */
export interface Smoothing {
  readonly before: number;
  readonly after: number;
}

export interface StructureParameters {
  /** Between two turns further apart in time than this begins a new session, in milliseconds. */
  readonly sessionGapMs: number;
  readonly dense: Smoothing;
  readonly bm25: Smoothing;
  /** Added where the turn is of the one speaker named. */
  readonly speaker: number;
  /** Added, times 0 to 1, for what the best turns of the session have. */
  readonly topic: number;
  /** How many turns of a session speak for it. */
  readonly topicBest: number;
  /** Taken away from a turn that ends as a question: it is seldom what answers one. */
  readonly asks: number;
  /** Added, times 0 to 1, for saying something at all: 1 from `wholeLength` words on. */
  readonly says: number;
  readonly wholeLength: number;
  /** Added, times 0 to 1, for the best fact drawn from the turn. */
  readonly fact: number;
}

const HOUR_MS = 3_600_000;

/**
 * The recipes S and SF of the facts on LoCoMo retrieval, whose smoothing these are, on the scale of `fuse`. What was tuned on
 * the three tuning conversations is flat around these values: `npm run bench -- recall --tune` leaves one out at a time.
 */
export const STRUCTURE: StructureParameters = {
  sessionGapMs: 4 * HOUR_MS,
  dense: { before: 0.2, after: 0.1 },
  bm25: { before: 0.5, after: 0.3 },
  speaker: 0.25,
  topic: 0.25,
  topicBest: 2,
  asks: 0.08,
  says: 0.08,
  wholeLength: 25,
  fact: 0.2,
};

/** Farther apart than this many places, two turns are no neighbours, whatever is missing between them. */
export const NEIGHBOUR_REACH = 3;

/**
 * Scores of turns by id, in the light of where they stand: each signal smoothed with the neighbours' of the same session, the
 * named speaker's turns and those of the session that answers best preferred, a fact's score given to the turns it was drawn
 * from. The scores order these turns among each other and mean nothing else; the order they come in does not matter.
 */
export function structureScores(
  turns: readonly TurnSignals[],
  query: StructureQuery,
  parameters: StructureParameters = STRUCTURE,
): Map<string, number> {
  const sessions = sessionsOf(turns, parameters.sessionGapMs);
  const words = wordShares(sessions, query, parameters);
  const own = sessions.map((session, at) => {
    const dense = smoothed(
      session,
      session.map((turn) => turn.dense),
      parameters.dense,
    );
    return session.map((turn, i) => ownScore(turn, dense[i] ?? 0, words[at]?.[i] ?? 0, query, parameters));
  });
  const priors = minMax(own.map((scores) => bestOf(scores, parameters.topicBest)));
  return new Map(
    sessions.flatMap((session, at) =>
      session.map(({ id, fact }, i): [string, number] => {
        const score = (own[at]?.[i] ?? 0) + parameters.topic * (priors[at] ?? 0) + parameters.fact * fact;
        return [id, score];
      }),
    ),
  );
}

function ownScore(
  { speaker, asks, length }: TurnSignals,
  dense: number,
  words: number,
  { named, weights: { denseWeight, bm25Weight } }: StructureQuery,
  parameters: StructureParameters,
): number {
  const fused = (denseWeight * Math.max(0, dense) + bm25Weight * words) / (denseWeight + bm25Weight);
  const isTheirs = named.length === 1 && named[0] === speaker;
  return (
    fused +
    (isTheirs ? parameters.speaker : 0) -
    (asks ? parameters.asks : 0) +
    parameters.says * Math.min(1, length / parameters.wholeLength)
  );
}

/**
 * What the words say, 0 to 1: BM25 of the turn and of the turn with the one before it, since an answer is often split between
 * the two; its share of the best, squared as in `fuse`; then smoothed.
 */
function wordShares(
  sessions: readonly (readonly TurnSignals[])[],
  { words, statistics }: StructureQuery,
  parameters: StructureParameters,
): number[][] {
  const ofTwo = { ...statistics, averageLength: 2 * statistics.averageLength };
  const raw = sessions.map((session) =>
    session.map((turn, i) => {
      const before = session[i - 1];
      const both = before !== undefined && isNear(before, turn) ? before : undefined;
      const alone = bm25(turn.counts, turn.length, words, statistics);
      const counts = both === undefined ? turn.counts : added(words, turn.counts, both.counts);
      return alone + bm25(counts, turn.length + (both?.length ?? 0), words, ofTwo);
    }),
  );
  const best = Math.max(0, ...raw.flat());
  const shares = raw.map((scores) => scores.map((score) => (best > 0 ? (score / best) ** 2 : 0)));
  const smooth = shares.map((scores, at) => smoothed(sessions[at] ?? [], scores, parameters.bm25));
  const most = Math.max(0, ...smooth.flat());
  return smooth.map((scores) => scores.map((score) => (most > 0 ? score / most : 0)));
}

function smoothed(session: readonly TurnSignals[], scores: readonly number[], { before, after }: Smoothing): number[] {
  const near = (at: number, other: number): number => {
    const [one, two] = [session[at], session[other]];
    return one !== undefined && two !== undefined && isNear(one, two) ? (scores[other] ?? 0) : 0;
  };
  return scores.map((score, at) => score + before * near(at, at - 1) + after * near(at, at + 1));
}

const isNear = (a: Placed, b: Placed): boolean => Math.abs(a.position - b.position) <= NEIGHBOUR_REACH;

/** Counts of the query's words in two texts together. */
function added(words: readonly string[], ...texts: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const count = (text: Readonly<Record<string, number>>, word: string) => (Object.hasOwn(text, word) ? (text[word] ?? 0) : 0);
  const counts = Object.create(null) as Record<string, number>;
  for (const word of words) counts[word] = texts.reduce((sum, text) => sum + count(text, word), 0);
  return counts;
}

/** Mean of the best; a session with fewer turns than that is as good as if the others scored nothing. */
const bestOf = (scores: readonly number[], most: number): number =>
  scores
    .toSorted((a, b) => b - a)
    .slice(0, most)
    .reduce((sum, score) => sum + score, 0) / most;

function minMax(scores: readonly number[]): number[] {
  const [least, most] = [Math.min(...scores), Math.max(...scores)];
  return scores.map((score) => (most > least ? (score - least) / (most - least) : 0));
}
