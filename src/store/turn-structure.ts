import { fuse, type Weights } from '../domain/ranking.js';
import { NEIGHBOUR_REACH, structureScores, type StructureParameters, type TurnSignals } from '../domain/structure.js';
import type { StoredPoint, VectorStore } from '../ports/vector-store.js';
import { nominees as comparedWith, wordsIn, type Compared, type Nominee } from './nominees.js';
import { placeKey } from './points.js';
import { isWithin, type SearchBounds } from './search-filter.js';
import { aliveAt } from './validity.js';
import { abortedBy } from './versions.js';

/** A candidate with its fused score, 0 to 1. */
export type Scored = Nominee & { readonly score: number };

/** A search as the structure of conversations sees it. */
export interface StructuredSearch extends Compared {
  readonly space: string;
  readonly bounds: SearchBounds;
  readonly weights: Weights;
  /** The speakers that the query names. */
  readonly named: readonly string[];
  readonly signal: AbortSignal | undefined;
}

/** Turns whose neighbours are read, the best of the fused order: what stands beside worse ones will not come to the front. */
const MOST_EXPANDED = 100;

/** Facts that lead to their turns, the best of the fused order. */
const MOST_LEADING = 50;

/** Points a page: one page unless places are shared by many turns. */
const PAGE = 1_024;

const EVERYTHING = { vector: true, terms: true };
const QUESTION_END = /[?？؟\u037e]["'”’»)\]\s]*$/u;

/**
 * Ranks candidates, the turns of conversations among them in the light of where they stand (`structureScores`): reads what
 * stands beside them and what facts were drawn from, in two reads. Turns are put in their order and take, in it, the fused
 * scores that turns have, so that everything else keeps the score and the place it has without them. Where there is no turn of
 * a conversation, or none is wanted, the order is that of `fuse`.
 */
export class TurnStructure {
  readonly #store: VectorStore;
  readonly #parameters: StructureParameters;

  constructor(store: VectorStore, parameters: StructureParameters) {
    this.#store = store;
    this.#parameters = parameters;
  }

  /** Best first, ties by id. `leading` are facts that lead to their turns and are not themselves returned. */
  async rank(candidates: readonly Nominee[], leading: readonly Nominee[], search: StructuredSearch): Promise<Scored[]> {
    const { weights, bounds } = search;
    const plain = fuse(candidates, weights);
    const isWanted = bounds.forms === undefined || bounds.forms.includes('turn');
    const facts = fuse(
      [...candidates, ...leading].filter(({ point }) => sourcesOf(point).length > 0),
      weights,
    );
    if (!isWanted || !(facts.length > 0 || plain.some(({ point }) => isPlaced(point)))) return plain;

    const drawn = factScores(facts.slice(0, MOST_LEADING));
    const near = await this.#around(plain, drawn, search);
    const known = new Map([...comparedWith(near, search), ...candidates].map((one) => [one.id, one]));
    const turns = [...known.values()].filter(({ point }) => isPlaced(point));
    const found = new Set(candidates.map(({ id }) => id));
    const scores = structureScores(
      turns.map((turn) => signalsOf(turn, drawn.get(turn.id) ?? 0)),
      { ...search, statistics: search.statistics.get('semantic') ?? { documents: 0, averageLength: 0, frequency: {} } },
      this.#parameters,
    );
    const returned = [...known.values()].filter(({ id, point }) => found.has(id) || isReturnable(point, bounds));
    return dealt(fuse(returned, weights), scores);
  }

  /** What stands beside the best turns, and the turns that facts were drawn from with what stands beside them. */
  async #around(plain: readonly Scored[], drawn: ReadonlyMap<string, number>, search: StructuredSearch): Promise<StoredPoint[]> {
    const there = new Set(plain.map(({ id }) => id));
    const missing = [...drawn.keys()].filter((id) => !there.has(id));
    const sources = (await this.#read(search, 'nodeId', missing)).filter(isPlaced);
    const best = plain
      .map(({ point }) => point)
      .filter(isPlaced)
      .slice(0, MOST_EXPANDED);
    const places = new Set<string>();
    for (const { payload } of [...best, ...sources]) {
      const position = positionOf(payload);
      for (let at = position - NEIGHBOUR_REACH; at <= position + NEIGHBOUR_REACH; at++) {
        if (at >= 0) places.add(placeKey(String(payload['conversation']), at));
      }
    }
    for (const { point } of plain) places.delete(String(point.payload['key']));
    return [...sources, ...(await this.#read(search, 'key', [...places])).filter(isPlaced)];
  }

  async #read(
    { space, bounds, signal }: StructuredSearch,
    field: 'nodeId' | 'key',
    values: readonly string[],
  ): Promise<StoredPoint[]> {
    const points: StoredPoint[] = [];
    if (values.length === 0) return points;
    const filter = [{ field, anyOf: values }, { field: 'kind' as const, anyOf: ['semantic'] }, ...aliveAt(bounds.asOf)];
    let after: string | undefined;
    do {
      const query = { filter, limit: PAGE, with: EVERYTHING, ...(after !== undefined && { after }) };
      const page = await this.#store.scan(space, query, abortedBy(signal));
      points.push(...page.points);
      after = page.next;
    } while (after !== undefined);
    return points;
  }
}

/** The turns' fused scores, best first, go to the turns in the order of their structure; ties of it by id. */
function dealt(fused: readonly Scored[], structure: ReadonlyMap<string, number>): Scored[] {
  const turns = fused.filter(({ id }) => structure.has(id));
  const ordered = turns.toSorted((a, b) => (structure.get(b.id) ?? 0) - (structure.get(a.id) ?? 0) || (a.id < b.id ? -1 : 1));
  const place = new Map(ordered.map(({ id }, at) => [id, at]));
  const rest = fused.filter(({ id }) => !structure.has(id));
  const all = [...rest, ...ordered.map((turn, at) => ({ ...turn, score: turns[at]?.score ?? 0 }))];
  const rankOf = ({ id }: Scored): number => place.get(id) ?? -1;
  return all.sort((a, b) => b.score - a.score || rankOf(a) - rankOf(b) || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
}

/** What the best of these facts give to each turn they were drawn from, 0 for the worst of them to 1. */
function factScores(facts: readonly Scored[]): Map<string, number> {
  const [most, least] = [facts.at(0)?.score ?? 0, facts.at(-1)?.score ?? 0];
  const best = new Map<string, number>();
  for (const { point, score } of facts) {
    const share = most > least ? (score - least) / (most - least) : 1;
    for (const id of sourcesOf(point)) best.set(id, Math.max(share, best.get(id) ?? 0));
  }
  return best;
}

function signalsOf({ id, dense, point }: Nominee, fact: number): TurnSignals {
  const { conversation, validFrom, topic, speaker, text } = point.payload;
  const at = typeof validFrom === 'string' ? Date.parse(validFrom) : Number.NaN;
  return {
    ...{ id, conversation: String(conversation), position: positionOf(point.payload), dense, fact, ...wordsIn(point) },
    asks: QUESTION_END.test(String(text)),
    ...(!Number.isNaN(at) && { at }),
    ...(typeof topic === 'string' && { topic }),
    ...(typeof speaker === 'string' && { speaker }),
  };
}

const isReturnable = (point: StoredPoint, bounds: SearchBounds): boolean =>
  isPlaced(point) && point.vector !== undefined && isWithin(point.payload, bounds);

const isPlaced = ({ payload }: StoredPoint): boolean => payload['form'] === 'turn' && typeof payload['key'] === 'string';

const positionOf = (payload: StoredPoint['payload']): number => (payload['source'] as { position: number }).position;

/** What a fact or a summary was drawn from. */
function sourcesOf({ payload }: StoredPoint): readonly string[] {
  const isDrawn = payload['form'] === 'fact' || payload['form'] === 'summary';
  return isDrawn && Array.isArray(payload['derivedFrom']) ? (payload['derivedFrom'] as readonly string[]) : [];
}
