import { EngraphError } from '../domain/failure.js';
import { NODE_KINDS, type GraphNode, type NodeKind, type SemanticForm } from '../domain/graph.js';
import { bm25, DEFAULT_WEIGHTS, fuse, type Signals, type Weights } from '../domain/ranking.js';
import { checkWeights } from '../domain/task.js';
import { tellingQuery } from '../domain/telling.js';
import { dot } from '../domain/vector.js';
import { wordsOf } from '../domain/words.js';
import type { Embedder } from '../ports/embedder.js';
import type { CallOptions, Filter, SearchQuery, StoredPoint, TermStatistics, VectorStore } from '../ports/vector-store.js';
import type { NodeStore } from './nodes.js';
import { aliveAt } from './validity.js';
import { abortedBy } from './versions.js';

/** `fast` asks the vectors alone; `hybrid` unites what vectors and words nominate. (`verified` is hybrid, then `fuseVerified`.) */
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

interface Nominee extends Signals {
  readonly version: number;
}

/**
 * Search over the graph without a model call (design.md section 4). The store nominates, each signal by itself, so that words
 * add candidates that vectors miss; then every candidate gets both scores, by the same arithmetic whatever the store.
 */
export class Recall {
  readonly #store: VectorStore;
  readonly #embedder: Embedder;
  readonly #nodes: NodeStore;

  constructor(store: VectorStore, embedder: Embedder, nodes: NodeStore) {
    this.#store = store;
    this.#embedder = embedder;
    this.#nodes = nodes;
  }

  /**
   * The best nodes for a query, best first, ties by id, each node once and as it is now (or was at `asOf`). A blank query finds
   * nothing. Fails with `validation` for an unknown mode, a limit out of bounds or weights that weigh nothing.
   */
  async search(space: string, query: string, options: SearchOptions = {}): Promise<Ranked[]> {
    const { mode, limit, weights, asOf, signal } = checked(options);
    if (query.trim() === '') return [];
    const nominees = await (mode === 'fast' ? this.#byVector(space, query, options) : this.#byBoth(space, query, options));
    const ranked = fuse(nominees, mode === 'fast' ? { denseWeight: 1, bm25Weight: 0, llmWeight: 0 } : weights);
    const found: Ranked[] = [];
    for (let from = 0; from < ranked.length && found.length < limit; from += limit) {
      const some = ranked.slice(from, from + limit);
      // Read anew rather than taken from the candidate: a crash may have left an older version that does not say it is retired.
      const nodes = await this.#nodes.read(
        space,
        some.map(({ id }) => id),
        { asOf, ...abortedBy(signal) },
      );
      const byId = new Map(nodes.map((node) => [node.id, node]));
      for (const { id, score, dense, bm25 } of some) {
        const node = byId.get(id);
        if (node) found.push({ node, score, dense, bm25 });
      }
    }
    return found.slice(0, limit);
  }

  async #byVector(space: string, query: string, options: SearchOptions): Promise<Nominee[]> {
    const vector = await this.#embed(query, options.signal);
    const ask: SearchQuery = {
      dense: vector,
      filter: filterOf(options),
      limit: checked(options).candidates,
      with: { vector: true },
    };
    const [hits = []] = await this.#store.search(space, [ask], abortedBy(options.signal));
    return newestOf(hits.map(({ point }) => point)).map((point) => nominee(point, vector, 0));
  }

  async #byBoth(space: string, query: string, options: SearchOptions): Promise<Nominee[]> {
    const { kinds, candidates: limit, signal } = checked(options);
    const words = [...new Set(wordsOf(query))];
    const statistics = new Map<string, TermStatistics>();
    for (const kind of kinds) statistics.set(kind, await this.#store.statistics(space, kind, words, abortedBy(signal)));
    const vector = await this.#embed(tellingQuery(query, summed([...statistics.values()])), signal);
    const rest = { filter: filterOf(options), limit, with: { vector: true, terms: true } };
    const asks: SearchQuery[] = [{ dense: vector, ...rest }, ...(words.length > 0 ? [{ sparse: words, ...rest }] : [])];
    const hits = (await this.#store.search(space, asks, abortedBy(signal))).flat();
    return newestOf(hits.map(({ point }) => point)).map((point) => {
      const counts = point.terms ?? {};
      const length = Object.values(counts).reduce((sum, count) => sum + count, 0);
      const known = statistics.get(String(point.payload['kind']));
      return nominee(point, vector, known === undefined ? 0 : bm25(counts, length, words, known));
    });
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

function nominee(point: StoredPoint, query: readonly number[], bm25Score: number): Nominee {
  const { nodeId, version } = point.payload;
  return { id: String(nodeId), version: Number(version), dense: point.vector ? dot(query, point.vector) : 0, bm25: bm25Score };
}

/** One point a node, its newest: both signals may name the same point, and a crash may have left two versions. */
function newestOf(points: readonly StoredPoint[]): StoredPoint[] {
  const newest = new Map<string, StoredPoint>();
  for (const point of points) {
    const id = String(point.payload['nodeId']);
    if (Number(point.payload['version']) > Number(newest.get(id)?.payload['version'] ?? 0)) newest.set(id, point);
  }
  return [...newest.values()];
}

function filterOf({ kinds = ['semantic'], forms, asOf, exclude = [] }: SearchOptions): Filter {
  return [
    { field: 'kind', anyOf: kinds },
    ...(forms ? [{ field: 'form' as const, anyOf: forms }] : []),
    ...(exclude.length > 0 ? [{ field: 'nodeId' as const, noneOf: exclude }] : []),
    ...aliveAt(asOf),
  ];
}

/** What a word's frequency is over all the kinds that are searched. */
function summed(statistics: readonly TermStatistics[]): TermStatistics {
  const frequency: Record<string, number> = Object.create(null) as Record<string, number>;
  for (const one of statistics)
    for (const [word, count] of Object.entries(one.frequency)) frequency[word] = (frequency[word] ?? 0) + count;
  return { documents: statistics.reduce((sum, one) => sum + one.documents, 0), averageLength: 0, frequency };
}

function checked(options: SearchOptions) {
  const { mode = 'hybrid', kinds = ['semantic'], limit = DEFAULT_LIMIT, asOf, signal } = options;
  const { candidates = Math.min(MOST_CANDIDATES, Math.max(FEWEST_CANDIDATES, 4 * limit)) } = options;
  if (!SEARCH_MODES.includes(mode))
    throw invalid(`the search mode is ${JSON.stringify(mode)}; it must be one of ${SEARCH_MODES.join(', ')}`);
  const unknown = kinds.find((kind) => !NODE_KINDS.includes(kind));
  if (unknown !== undefined) throw invalid(`there is no kind ${JSON.stringify(unknown)}; a node is ${NODE_KINDS.join(', ')}`);
  if (!Number.isInteger(limit) || limit < 1 || limit > 1_000) throw invalid(`the limit is ${limit}; it must be from 1 to 1000`);
  if (!Number.isInteger(candidates) || candidates < 1 || candidates > MOST_CANDIDATES) {
    throw invalid(`candidates is ${candidates}; it must be from 1 to ${MOST_CANDIDATES}`);
  }
  const weights = pick(options.weights ?? {});
  checkWeights(weights);
  if (mode === 'hybrid' && weights.denseWeight === 0 && weights.bm25Weight === 0) {
    throw invalid('denseWeight and bm25Weight are both 0; a search without a verifier needs one of them');
  }
  return { mode, kinds, limit, candidates, weights, asOf, signal };
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
