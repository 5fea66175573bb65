import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { SqliteVectorStore } from '../src/adapters/sqlite.js';
import { idOf } from '../src/domain/id.js';
import { unit } from '../src/domain/vector.js';
import { countWords } from '../src/domain/words.js';
import type { Filter, SearchQuery, Write } from '../src/ports/vector-store.js';
import type { BenchOptions, BenchResult } from './run.js';

const DIMENSION = 384;
const BATCH = 100;
const TOP = 20;
const SPACE = 'bench';
/** Points in the space when it is searched, and how many queries each signal then gets. */
const STAGES = [
  { size: 10_000, name: '10k', queries: 60 },
  { size: 100_000, name: '100k', queries: 30 },
] as const;

const CURRENT: Filter = [
  { field: 'kind', anyOf: ['semantic'] },
  { field: 'retiredAt', absent: true },
];

/** Lehmer's generator with Park and Miller's multiplier, so that every run has the same points. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48271) % 2147483647) / 2147483647;
}

/** Vectors that lie in clusters of few dimensions, as embeddings do, and texts of 36 words, common and rare ones. */
function generator(seed: number): { vector: () => number[]; text: () => string } {
  const next = seeded(seed);
  const basis = Array.from({ length: 48 }, () => unit(Array.from({ length: DIMENSION }, () => next() - 0.5)));
  const vector = () => {
    const sum = Array.from({ length: DIMENSION }, () => 0.02 * (next() - 0.5));
    for (let part = 0; part < 4; part++) {
      const weight = next();
      const direction = basis[Math.floor(next() * basis.length)] ?? [];
      for (let i = 0; i < DIMENSION; i++) sum[i] = (sum[i] ?? 0) + weight * (direction[i] ?? 0);
    }
    return unit(sum);
  };
  // Squaring gives few common words and many rare ones.
  const text = () => Array.from({ length: 36 }, () => `w${Math.floor(next() ** 3 * 20_000)}`).join(' ');
  return { vector, text };
}

/** The baseline: every vector in one typed array in memory, nothing stored, filtered or fetched. */
function scan(vectors: Float32Array, size: number, query: Float32Array): number[] {
  const top: { row: number; score: number }[] = [];
  for (let row = 0, at = 0; row < size; row++, at += DIMENSION) {
    let score = 0;
    for (let i = 0; i < DIMENSION; i++) score += (vectors[at + i] as number) * (query[i] as number);
    if (top.length === TOP && score <= (top[TOP - 1]?.score ?? 0)) continue;
    let place = top.length;
    while (place > 0 && (top[place - 1]?.score ?? 0) < score) place -= 1;
    top.splice(place, 0, { row, score });
    if (top.length > TOP) top.pop();
  }
  return top.map(({ row }) => row);
}

const median = (times: number[]): number => times.sort((a, b) => a - b)[times.length >> 1] ?? Number.NaN;

async function timed<T>(times: number[], body: () => Promise<T> | T): Promise<T> {
  const start = performance.now();
  const result = await body();
  times.push(performance.now() - start);
  return result;
}

/**
 * Inserts into and searches the embedded store in one space, beside a scan of a typed array over the same vectors, query by
 * query in turn. Figures: `scanRatio10k`, `scanRatio100k` (p50 of our dense top 20 over the scan's), `insertPerSecond` (over
 * all 100,000, vectors, words and payload, each batch of 100 committed to disk); further p50s in milliseconds.
 */
export async function run(_options: BenchOptions): Promise<BenchResult> {
  const folder = await mkdtemp(join(tmpdir(), 'engraph-bench-'));
  const file = join(folder, 'memory.db');
  try {
    const store = await SqliteVectorStore.open(file);
    await store.ensure({ model: 'synthetic', dimension: DIMENSION, hash: 'seed 1' });
    const result = await measure(store);
    const { size } = await stat(file);
    await store.close();
    return { ...result, notes: [...result.notes, `file of ${Math.round(size / 2 ** 20)} MB for 100,000 points`] };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function measure(store: SqliteVectorStore): Promise<BenchResult> {
  const { vector, text } = generator(1);
  const vectors = new Float32Array(DIMENSION * STAGES[1].size);
  const asked = generator(1);
  const figures: Record<string, number> = {};
  const baseline: Record<string, number> = {};
  const rows: string[][] = [['', 'p50 ms', 'typed-array scan ms', 'ratio']];
  let [inserted, insertMs, same, compared] = [0, 0, 0, 0];

  for (const { size, name, queries } of STAGES) {
    while (inserted < size) {
      const batch = Array.from({ length: BATCH }, (_, i) => newPoint(inserted + i, vector(), text()));
      for (const [i, { point }] of batch.entries()) vectors.set(point.vector ?? [], (inserted + i) * DIMENSION);
      const start = performance.now();
      await store.upsert(SPACE, batch);
      insertMs += performance.now() - start;
      inserted += BATCH;
    }
    const times = {
      scan: [] as number[],
      dense: [] as number[],
      filtered: [] as number[],
      words: [] as number[],
      both: [] as number[],
    };
    for (let i = -3; i < queries; i++) {
      if (i === 0) for (const list of Object.values(times)) list.length = 0;
      const dense = asked.vector();
      const sparse = Object.keys(countWords(asked.text())).slice(0, 5);
      const search = (times: number[], ...asks: SearchQuery[]) => timed(times, () => store.search(SPACE, asks));
      const expected = await timed(times.scan, () => scan(vectors, size, Float32Array.from(dense)));
      const [hits = []] = await search(times.dense, { dense, limit: TOP });
      await search(times.filtered, { dense, limit: TOP, filter: CURRENT });
      await search(times.words, { sparse, limit: TOP });
      await search(times.both, { dense, limit: 60, filter: CURRENT }, { sparse, limit: 60, filter: CURRENT });
      const found = new Set(hits.map(({ point }) => point.payload['position']));
      same += expected.filter((row) => found.has(row)).length;
      compared += expected.length;
    }
    const scanMs = median(times.scan);
    baseline[`scanMs${name}`] = scanMs;
    figures[`scanRatio${name}`] = median(times.dense) / scanMs;
    figures[`denseMs${name}`] = median(times.dense);
    figures[`filteredMs${name}`] = median(times.filtered);
    figures[`wordsMs${name}`] = median(times.words);
    figures[`hybridMs${name}`] = median(times.both);
    const row = (title: string, ms: number) =>
      rows.push([`${title}, ${name}`, ms.toFixed(1), scanMs.toFixed(1), (ms / scanMs).toFixed(2)]);
    row('dense top 20', median(times.dense));
    row('the same of current semantic points', median(times.filtered));
    row('words top 20', median(times.words));
    row('both, 60 each, current semantic points', median(times.both));
  }
  figures['insertPerSecond'] = (inserted / insertMs) * 1000;
  figures['recallAt20'] = (same / compared) * 100;
  rows.push(['points inserted a second', figures['insertPerSecond'].toFixed(0), '', '']);
  return {
    figures,
    baselines: { scan: baseline },
    notes: [
      'one space, 384 dimensions, seeded clusters of low rank, 36 words a text, batches of 100, synchronous = FULL',
      'a search includes reading and parsing the payloads of its hits; the scan gives row numbers only',
    ],
    table: tableOf(rows),
  };
}

function newPoint(position: number, vector: number[], text: string): Write {
  const kind = position % 4 === 0 ? 'episodic' : 'semantic';
  const recordedAt = new Date(Date.UTC(2026, 0, 1) + position * 1000).toISOString();
  const retired = position % 10 === 0 ? { retiredAt: recordedAt } : {};
  const id = idOf('bench', position);
  const payload = {
    kind,
    form: 'chunk',
    nodeId: id,
    version: 1,
    recordedAt,
    ...retired,
    document: `d${position >> 6}`,
    position,
    text,
  };
  return { point: { id, space: SPACE, vector, terms: countWords(text), payload } };
}

function tableOf(rows: readonly string[][]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows
    .map((row) => row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  '))
    .join('\n');
}
