import type { Schemas } from '@qdrant/js-client-rest';

import type { Hit, SearchQuery, TermStatistics } from '../ports/vector-store.js';
import { inSpace, type QdrantFilter } from './qdrant-filter.js';
import { DENSE, fieldsFor, pointOf, rounded, SPARSE, vectorsFor } from './qdrant-point.js';
import { keywordOf } from './qdrant-values.js';
import { sparseQuery } from './qdrant-words.js';
import type { Place } from './qdrant-write.js';

/** Most hits that one list is read to for the sake of ties; beyond, which of equal ones come is Qdrant's choice. */
const MOST_HITS = 65_536;

/** Values that a facet is asked for at first; more are asked for where there are more. */
const FACET_LIMIT = 4_096;

/** Counts asked for at once. */
const AT_ONCE = 16;

/** A query with its filter as Qdrant has it. */
export interface Asked {
  readonly query: SearchQuery;
  readonly filter: QdrantFilter;
}

/**
 * One list of hits a query, best first, ties by id. Qdrant's order of equal scores changes from call to call, so a list whose
 * last score is that at the limit is read further, by ids alone, until the score is worse.
 */
export async function nominate(place: Place, asked: readonly Asked[]): Promise<Hit[][]> {
  const hits: Hit[][] = asked.map(() => []);
  // No words, no hits; Qdrant refuses an empty vector.
  const open = asked.flatMap(({ query }, at) => (query.sparse?.length === 0 ? [] : [at]));
  if (open.length === 0) return hits;
  const searches = open.map((at) => searchOf(asked[at] as Asked, place.space));
  const request = { collection_name: place.collection, searches };
  const answers = await place.rest.ask((api, init) => api.queryBatchPoints(request, init), place.signal);
  for (const [i, at] of open.entries()) {
    const one = asked[at] as Asked;
    const points = answers[i]?.points ?? [];
    const settled = isTied(points, one.query.limit) ? await untied(place, one, points) : points;
    hits[at] = settled
      .map((point) => ({ point: pointOf(place.space, point, one.query.with), score: point.score }))
      .sort((a, b) => b.score - a.score || (a.point.id < b.point.id ? -1 : 1))
      .slice(0, one.query.limit);
  }
  return hits;
}

/** Whether what lies beyond the list may be as good as what is at its limit; one more than the limit was asked for. */
const isTied = (points: readonly Scored[], limit: number): boolean =>
  points.length > limit && points[limit - 1]?.score === points.at(-1)?.score;

type Scored = Pick<Schemas['ScoredPoint'], 'id' | 'score' | 'payload' | 'vector'>;

/** The points of a tied list that belong into it: ids in Qdrant are in the order of ours, so nothing else need be read of the others. */
async function untied(place: Place, { query, filter }: Asked, known: readonly Scored[]): Promise<Scored[]> {
  const { limit, with: what } = query;
  let ranked: Scored[] = [];
  for (let k = 4 * limit + 64; ; k = Math.min(4 * k, MOST_HITS)) {
    const search = { ...searchOf({ query, filter }, place.space), limit: k, with_payload: false, with_vector: false };
    const request = { collection_name: place.collection, searches: [search] };
    const [answer] = await place.rest.ask((api, init) => api.queryBatchPoints(request, init), place.signal);
    ranked = answer?.points ?? [];
    if (ranked.length < k || k === MOST_HITS || ranked[limit - 1]?.score !== ranked.at(-1)?.score) break;
  }
  const chosen = ranked.sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1)).slice(0, limit);
  const records = new Map<string | number, Pick<Scored, 'payload' | 'vector'>>(known.map((point) => [point.id, point]));
  const missing = chosen.map(({ id }) => id).filter((id) => !records.has(id));
  if (missing.length > 0) {
    const selection = { with_payload: fieldsFor(what), with_vector: vectorsFor(what) };
    const request = { collection_name: place.collection, ids: missing, ...selection };
    for (const record of await place.rest.ask((api, init) => api.getPoints(request, init), place.signal))
      records.set(record.id, record as Pick<Scored, 'payload' | 'vector'>);
  }
  // One that was removed since is left out.
  return chosen.flatMap(({ id, score }) => (records.has(id) ? [{ ...records.get(id), id, score } as Scored] : []));
}

function searchOf({ query, filter }: Asked, space: string): Schemas['QueryRequest'] {
  const { dense, sparse = [], limit, with: what } = query;
  const signal =
    dense === undefined
      ? { query: sparseQuery(sparse), using: SPARSE, ...idfOf(space) }
      : { query: dense.map(rounded), using: DENSE };
  return { ...signal, filter, limit: limit + 1, with_payload: fieldsFor(what), with_vector: vectorsFor(what) };
}

/** Rarity counted over this space alone. Servers before 1.19 don't know it and count over all, which moves nominations only. */
function idfOf(space: string): { params: Schemas['SearchParams'] } {
  const params = { idf: { corpus: { must: [inSpace(space)] } } };
  return { params: params as Schemas['SearchParams'] };
}

/** The values of an indexed payload field among the points that meet the filter, with how many have each; exact. */
export async function facet(
  { rest, collection, signal }: Omit<Place, 'space'>,
  key: string,
  filter?: QdrantFilter,
): Promise<readonly Schemas['FacetValueHit'][]> {
  for (let limit = FACET_LIMIT; ; limit *= 8) {
    const asked = { collection_name: collection, key, limit, exact: true, ...(filter && { filter }) };
    const { hits } = await rest.ask((api, init) => api.facet(asked, init), signal);
    if (hits.length < limit) return hits;
  }
}

/** How many points meet the filter, exactly. */
export async function countPoints({ rest, collection, signal }: Omit<Place, 'space'>, filter: QdrantFilter): Promise<number> {
  const asked = { collection_name: collection, exact: true, filter };
  return (await rest.ask((api, init) => api.countPoints(asked, init), signal)).count;
}

/** The counts of one kind of current points in a space, and how many of them have each of the words. */
export async function readStatistics(place: Place, kind: string, words: readonly string[]): Promise<TermStatistics> {
  const counted: QdrantFilter['must'] = [inSpace(place.space), { key: 'counted', match: { value: keywordOf(kind) } }];
  const lengths = await facet(place, 'length', { must: counted });
  const documents = lengths.reduce((sum, { count }) => sum + count, 0);
  const total = lengths.reduce((sum, { value, count }) => sum + Number(value) * count, 0);
  const frequency = new Map(words.map((word) => [word, 0]));
  const asked = documents === 0 ? [] : [...frequency.keys()];
  for (let at = 0; at < asked.length; at += AT_ONCE) {
    const having = async (word: string): Promise<void> => {
      const has = { key: 'words', match: { value: keywordOf(word) } };
      frequency.set(word, await countPoints(place, { must: [...counted, has] }));
    };
    await Promise.all(asked.slice(at, at + AT_ONCE).map(having));
  }
  return { documents, averageLength: documents === 0 ? 0 : total / documents, frequency: Object.fromEntries(frequency) };
}
