import { membersFirst } from '../domain/abstract-ranking.js';
import { EngraphError } from '../domain/failure.js';
import { NODE_KINDS, type GraphNode, type NodeKind, type SemanticForm } from '../domain/graph.js';
import { DEFAULT_WEIGHTS, fuse, type Signals, type Weights } from '../domain/ranking.js';
import { speakersIn } from '../domain/speakers.js';
import { STRUCTURE, type StructureParameters } from '../domain/structure.js';
import { checkWeights } from '../domain/task.js';
import { tellingQuery } from '../domain/telling.js';
import { wordsOf } from '../domain/words.js';
import type { Embedder } from '../ports/embedder.js';
import type { CallOptions, SearchQuery, TermStatistics, VectorStore } from '../ports/vector-store.js';
import type { NodeStore } from './nodes.js';
import { nominees } from './nominees.js';
import { filterOf } from './search-filter.js';
import { Speakers } from './speakers.js';
import { readTrueAt } from './true-at.js';
import { TurnStructure, type Scored } from './turn-structure.js';
import { abortedBy } from './versions.js';

/**
 * `fast` asks the vectors alone; `hybrid` unites what vectors and words nominate, and ranks turns by where they stand too.
 * (`verified` is hybrid, then `fuseVerified`.)
 */
export const SEARCH_MODES = ['fast', 'hybrid'] as const;
export type SearchMode = (typeof SEARCH_MODES)[number];

export interface SearchOptions extends CallOptions {
  /** Default `hybrid`. */
  readonly mode?: SearchMode;
  /** Default semantic nodes. */
  readonly kinds?: readonly NodeKind[];
  /** Of the semantic nodes; all by default. */
  readonly forms?: readonly SemanticForm[];
  /** Nodes returned at most, 1 to 1,000; default 10. */
  readonly limit?: number;
  /** Default `DEFAULT_WEIGHTS`; `fast` has no use for them. */
  readonly weights?: Partial<Weights>;
  /** Search what was the newest at this ISO time. */
  readonly asOf?: string;
  /**
   * Search what was true at this ISO time, by event times as known today: facts superseded since are found, too, those merged into
   * others are not; what has no event time is left out. Not together with `asOf`.
   */
  readonly trueAt?: string;
  /** Only what was said, or held, at this ISO time or later; what has no event time is left out. */
  readonly from?: string;
  /** Only what was said, or held, before this ISO time; what has no event time is left out. */
  readonly until?: string;
  /** Node ids to leave out. */
  readonly exclude?: readonly string[];
  /** Candidates that each signal nominates, up to 4,096; default 100, or four times the limit where that is more. */
  readonly candidates?: number;
}

/** A node found. `score` is fused, 0 to 1; `dense` the cosine to the query as it was embedded; `bm25` is 0 in `fast` mode. */
export interface Ranked {
  readonly node: GraphNode;
  readonly score: number;
  readonly dense: number;
  readonly bm25: number;
}

const DEFAULT_LIMIT = 10;
const FEWEST_CANDIDATES = 100;
const MOST_CANDIDATES = 4_096;

/**
 * Search over the graph without a model call (design.md section 4). The store nominates, each signal by itself, so that words
 * add candidates that vectors miss; then every candidate gets both scores, by the same arithmetic whatever the store. Speakers
 * named are taken out of what the vectors are asked; turns of conversations are ranked among each other by `TurnStructure`.
 */
export class Recall {
  readonly #store: VectorStore;
  readonly #embedder: Embedder;
  readonly #nodes: NodeStore;
  readonly #speakers: Speakers;
  readonly #structure: TurnStructure;

  constructor(store: VectorStore, embedder: Embedder, nodes: NodeStore, structure: StructureParameters = STRUCTURE) {
    this.#store = store;
    this.#embedder = embedder;
    this.#nodes = nodes;
    this.#speakers = new Speakers(store);
    this.#structure = new TurnStructure(store, structure);
  }

  /**
   * The best nodes for a query, best first, ties by id, each node once and as it is now (or was at `asOf`). A blank query finds
   * nothing. Fails with `validation` for an unknown mode, a limit out of bounds or weights that weigh nothing.
   */
  async search(space: string, query: string, options: SearchOptions = {}): Promise<Ranked[]> {
    const { mode, limit } = checked(options);
    if (query.trim() === '') return [];
    const scored = await (mode === 'fast' ? this.#byVector(space, query, options) : this.#byBoth(space, query, options));
    const ranked = membersFirst(scored, membersOf);
    const found: Ranked[] = [];
    for (let from = 0; from < ranked.length && found.length < limit; from += limit) {
      const some = ranked.slice(from, from + limit);
      // Read anew rather than taken from the candidate: a crash may have left an older version that does not say it is retired.
      const byId = await this.#read(
        space,
        some.map(({ id }) => id),
        options,
      );
      for (const { id, score, dense, bm25 } of some) {
        const node = byId.get(id);
        if (node) found.push({ node, score, dense, bm25 });
      }
    }
    return found.slice(0, limit);
  }

  async #read(space: string, ids: readonly string[], { asOf, trueAt, signal }: SearchOptions): Promise<Map<string, GraphNode>> {
    if (trueAt !== undefined) return await readTrueAt(this.#store, space, ids, { trueAt, ...abortedBy(signal) });
    const nodes = await this.#nodes.read(space, ids, { asOf, ...abortedBy(signal) });
    return new Map(nodes.map((node) => [node.id, node]));
  }

  async #byVector(space: string, query: string, options: SearchOptions): Promise<Scored[]> {
    const { candidates: limit, signal } = checked(options);
    const { rest } = await this.#named(space, query, options);
    const vector = await this.#embed(rest, signal);
    const ask: SearchQuery = { dense: vector, filter: filterOf(options), limit, with: { vector: true } };
    const [hits = []] = await this.#store.search(space, [ask], abortedBy(signal));
    const compared = { vector, words: [], statistics: new Map<string, TermStatistics>() };
    const found = nominees(
      hits.map(({ point }) => point),
      compared,
    );
    return fuse(found, { denseWeight: 1, bm25Weight: 0, llmWeight: 0 });
  }

  async #byBoth(space: string, query: string, options: SearchOptions): Promise<Scored[]> {
    const { kinds, candidates: limit, weights, signal } = checked(options);
    const words = [...new Set(wordsOf(query))];
    const statistics = new Map<string, TermStatistics>();
    for (const kind of kinds) statistics.set(kind, await this.#store.statistics(space, kind, words, abortedBy(signal)));
    const { named, rest } = await this.#named(space, query, options);
    const vector = await this.#embed(tellingQuery(rest, summed([...statistics.values()])), signal);
    const asks = (bounds: SearchOptions): SearchQuery[] => {
      const what = { filter: filterOf(bounds), limit, with: { vector: true, terms: true } };
      return [{ dense: vector, ...what }, ...(words.length > 0 ? [{ sparse: words, ...what }] : [])];
    };
    const [wanted, leading] = [asks(options), leads(options) ? asks({ ...options, forms: ['fact', 'summary'] }) : []];
    const hits = await this.#store.search(space, [...wanted, ...leading], abortedBy(signal));
    const compared = { vector, words, statistics };
    const of = (lists: typeof hits) =>
      nominees(
        lists.flat().map(({ point }) => point),
        compared,
      );
    const search = { space, bounds: options, weights, named, signal, ...compared };
    return await this.#structure.rank(of(hits.slice(0, wanted.length)), of(hits.slice(wanted.length)), search);
  }

  /** Speakers are looked for where turns may be found, and nowhere else. */
  async #named(space: string, query: string, { kinds = ['semantic'], forms, signal }: SearchOptions) {
    const isOfTurns = kinds.includes('semantic') && (forms === undefined || forms.includes('turn'));
    return speakersIn(query, isOfTurns ? await this.#speakers.list(space, abortedBy(signal)) : []);
  }

  async #embed(text: string, signal: AbortSignal | undefined): Promise<readonly number[]> {
    const [vector = []] = await this.#embedder.embed([text.toWellFormed()], abortedBy(signal));
    return vector;
  }
}

/**
 * A short list ranked again with the verifier's word: `llm` is its score, 0 to 1, 0 for a candidate it said nothing about. Any
 * record with the signals will do; what else it holds comes along.
 */
export function fuseVerified<Candidate extends Signals & { readonly llm: number }>(
  candidates: readonly Candidate[],
  weights: Partial<Weights> = {},
): (Candidate & { readonly score: number })[] {
  const whole = pick(weights);
  checkWeights(whole);
  return fuse(candidates, whole);
}

/** What a general fact was made of. */
const membersOf = ({ point: { payload } }: Scored): readonly string[] | undefined =>
  payload['abstract'] === true ? (payload['derivedFrom'] as readonly string[] | undefined) : undefined;

/** Whether facts are asked only for the turns that they lead to. */
const leads = ({ forms }: SearchOptions): boolean => forms !== undefined && forms.includes('turn') && !forms.includes('fact');

/** What a word's frequency is over all the kinds that are searched. */
function summed(statistics: readonly TermStatistics[]): TermStatistics {
  const frequency: Record<string, number> = Object.create(null) as Record<string, number>;
  for (const one of statistics)
    for (const [word, count] of Object.entries(one.frequency)) frequency[word] = (frequency[word] ?? 0) + count;
  return { documents: statistics.reduce((sum, one) => sum + one.documents, 0), averageLength: 0, frequency };
}

function checked(options: SearchOptions) {
  const { mode = 'hybrid', kinds = ['semantic'], limit = DEFAULT_LIMIT, asOf, trueAt, signal } = options;
  const { candidates = Math.min(MOST_CANDIDATES, Math.max(FEWEST_CANDIDATES, 4 * limit)) } = options;
  if (!SEARCH_MODES.includes(mode))
    throw invalid(`the search mode is ${JSON.stringify(mode)}; it must be one of ${SEARCH_MODES.join(', ')}`);
  const unknown = kinds.find((kind) => !NODE_KINDS.includes(kind));
  if (unknown !== undefined) throw invalid(`there is no kind ${JSON.stringify(unknown)}; a node is ${NODE_KINDS.join(', ')}`);
  if (!Number.isInteger(limit) || limit < 1 || limit > 1_000) throw invalid(`the limit is ${limit}; it must be from 1 to 1000`);
  if (!Number.isInteger(candidates) || candidates < 1 || candidates > MOST_CANDIDATES) {
    throw invalid(`candidates is ${candidates}; it must be from 1 to ${MOST_CANDIDATES}`);
  }
  if (asOf !== undefined && trueAt !== undefined)
    throw invalid('asOf asks for what was recorded by then, trueAt for what was true then; give one of them');
  const weights = pick(options.weights ?? {});
  checkWeights(weights);
  if (mode === 'hybrid' && weights.denseWeight === 0 && weights.bm25Weight === 0) {
    throw invalid('denseWeight and bm25Weight are both 0; a search without a verifier needs one of them');
  }
  return { mode, kinds, limit, candidates, weights, signal };
}

/** The weights among other settings, with the defaults for those that are missing. */
function pick({ denseWeight, bm25Weight, llmWeight }: Partial<Weights>): Weights {
  return {
    denseWeight: denseWeight ?? DEFAULT_WEIGHTS.denseWeight,
    bm25Weight: bm25Weight ?? DEFAULT_WEIGHTS.bm25Weight,
    llmWeight: llmWeight ?? DEFAULT_WEIGHTS.llmWeight,
  };
}

const invalid = (message: string): EngraphError => new EngraphError('validation', message);
