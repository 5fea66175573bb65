import { EngraphError } from '../src/domain/failure.js';
import { countWords } from '../src/domain/words.js';
import type { SearchQuery } from '../src/ports/vector-store.js';
import type { BenchOptions, BenchResult } from './run.js';
import { CURRENT, ExactScan, generator, newPoint, SPACE, TOP } from './store-data.js';
import { EACH, STORES, type Measured } from './store-raw.js';

const BATCH = 100;
/** Points in the space when it is searched, and how many queries each signal then gets. */
const STAGES = [
  { size: 10_000, name: '10k', queries: 60 },
  { size: 100_000, name: '100k', queries: 30 },
] as const;

/** The store that is measured where none is named, under figures without a store's name. */
const DEFAULT = 'sqlite';

interface Figures {
  readonly figures: Record<string, number>;
  readonly scan: Record<string, number>;
  readonly raw: Record<string, number>;
  readonly rows: string[][];
  readonly notes: readonly string[];
}

/**
 * Inserts into and searches stores in one space: ours beside what lies below it, query by query in turn, and beside a scan of
 * a typed array. `--store in-memory|sqlite|qdrant` measures one; without it all, the figures of SQLite under plain names and
 * the others' with the store's name behind. `--points 10000` stops after so many. Figures of each: `overhead10k`,
 * `overhead100k` (p50 of our dense top 20 over that of the store's own query), `overheadHybrid10k` (both signals), `recall20`
 * (percent of the exact top 20); `scanRatio10k`, `scanRatio100k` (over the scan), `insertPerSecond`, further p50s in milliseconds.
 */
export async function run({ args }: BenchOptions): Promise<BenchResult> {
  const named = valueOf(args, '--store');
  if (named !== undefined && !(named in STORES))
    throw new EngraphError('validation', `--store is ${named}; it must be one of ${Object.keys(STORES).join(', ')}`);
  const most = Number(valueOf(args, '--points') ?? STAGES[1].size);
  const names = named === undefined ? [DEFAULT, ...Object.keys(STORES).filter((name) => name !== DEFAULT)] : [named];
  const figures: Record<string, number> = {};
  const baselines: Record<string, Record<string, number>> = {};
  const notes = ['one space, 384 dimensions, seeded clusters of low rank, 36 words a text, batches of 100, one at a time'];
  const rows = [['', 'ours, p50 ms', "store's own", 'ratio', 'scan', 'ratio']];
  for (const name of names) {
    const suffix =
      named === undefined && name !== DEFAULT ? name.replace(/(?:^|-)(\w)/gu, (_, first: string) => first.toUpperCase()) : '';
    const measured = await measureStore(name, most);
    for (const [key, value] of Object.entries(measured.figures)) figures[key + suffix] = value;
    baselines[`scan${suffix}`] = measured.scan;
    baselines[`raw${suffix}`] = measured.raw;
    rows.push(...measured.rows);
    notes.push(...measured.notes);
  }
  return { figures, baselines, notes, table: tableOf(rows) };
}

async function measureStore(name: string, most: number): Promise<Figures> {
  const exact = new ExactScan(Math.min(most, STAGES[1].size));
  const below = await (STORES[name] as (typeof STORES)[string])(exact);
  try {
    const measured = await measure(name, below, exact, most);
    return { ...measured, notes: await below.notes() };
  } finally {
    await below.close();
  }
}

async function measure(title: string, below: Measured, exact: ExactScan, most: number): Promise<Omit<Figures, 'notes'>> {
  const { vector, text } = generator(1);
  const asked = generator(1);
  const [figures, scan, raw]: Record<string, number>[] = [{}, {}, {}] as const;
  const rows: string[][] = [];
  let [inserted, insertMs, same, compared] = [0, 0, 0, 0];
  for (const { size, name, queries } of STAGES) {
    if (size > most) continue;
    for (; inserted < size; inserted += BATCH) {
      const batch = Array.from({ length: BATCH }, (_, i) => newPoint(inserted + i, vector(), text()));
      for (const { point } of batch) exact.add(point.vector ?? []);
      const start = performance.now();
      await below.store.upsert(SPACE, batch);
      insertMs += performance.now() - start;
    }
    const times = new Times();
    const search = async (what: string, ...asks: SearchQuery[]) => await times.of(what, () => below.store.search(SPACE, asks));
    for (let i = -3; i < queries; i++) {
      if (i === 0) times.forget();
      const dense = asked.vector();
      const sparse = Object.keys(countWords(asked.text())).slice(0, 5);
      const expected = await times.of('scan', () => exact.nearest(Float32Array.from(dense)));
      // Each is first as often as the other, since what comes right after the scan finds the caches cold.
      const isRawFirst = i % 2 === 0;
      const each = { limit: EACH, filter: CURRENT };
      if (isRawFirst) await times.of('rawDense', () => below.dense(dense));
      const [hits = []] = await search('dense', { dense, limit: TOP });
      if (!isRawFirst) await times.of('rawDense', () => below.dense(dense));
      await search('filtered', { dense, limit: TOP, filter: CURRENT });
      await search('words', { sparse, limit: TOP });
      if (isRawFirst) await times.of('rawBoth', () => below.both(dense, sparse));
      await search('both', { dense, ...each }, { sparse, ...each });
      if (!isRawFirst) await times.of('rawBoth', () => below.both(dense, sparse));
      const found = new Set(hits.map(({ point }) => point.payload['position']));
      same += expected.filter((row) => found.has(row)).length;
      compared += expected.length;
    }
    const [ours, own, both, ownBoth, scanned] = ['dense', 'rawDense', 'both', 'rawBoth', 'scan'].map((what) =>
      times.median(what),
    ) as [...[number, number, number, number, number]];
    Object.assign(figures, {
      [`overhead${name}`]: ours / own,
      [`overheadHybrid${name}`]: both / ownBoth,
      [`scanRatio${name}`]: ours / scanned,
      [`denseMs${name}`]: ours,
      [`filteredMs${name}`]: times.median('filtered'),
      [`wordsMs${name}`]: times.median('words'),
      [`hybridMs${name}`]: both,
    });
    Object.assign(scan, { [`scanMs${name}`]: scanned });
    Object.assign(raw, { [`denseMs${name}`]: own, [`hybridMs${name}`]: ownBoth });
    const row = (what: string, ms: number, below?: number) =>
      rows.push([
        `${title}, ${name}: ${what}`,
        ...[
          ms.toFixed(1),
          below?.toFixed(1) ?? '',
          below === undefined ? '' : (ms / below).toFixed(2),
          scanned.toFixed(1),
          (ms / scanned).toFixed(2),
        ],
      ]);
    row('dense top 20', ours, own);
    row('the same of current semantic points', times.median('filtered'));
    row('words top 20', times.median('words'));
    row(`both, ${EACH} each, current semantic points`, both, ownBoth);
  }
  const insertPerSecond = (inserted / insertMs) * 1000;
  const recall20 = (same / compared) * 100;
  rows.push([`${title}: points inserted a second`, insertPerSecond.toFixed(0), '', '', '', '']);
  rows.push([`${title}: recall@20 beside the exact scan, %`, recall20.toFixed(1), '', '', '', '']);
  return { figures: { ...figures, insertPerSecond, recall20, recallAt20: recall20 }, scan: scan ?? {}, raw: raw ?? {}, rows };
}

/** Times of what is done again and again, by name, in milliseconds. */
class Times {
  readonly #lists = new Map<string, number[]>();

  async of<T>(what: string, body: () => Promise<T> | T): Promise<T> {
    const start = performance.now();
    const result = await body();
    this.#lists.set(what, [...(this.#lists.get(what) ?? []), performance.now() - start]);
    return result;
  }

  /** Drops what was measured while everything was still cold. */
  forget(): void {
    this.#lists.clear();
  }

  median(what: string): number {
    const sorted = [...(this.#lists.get(what) ?? [])].sort((a, b) => a - b);
    return sorted[sorted.length >> 1] ?? Number.NaN;
  }
}

function valueOf(args: readonly string[], option: string): string | undefined {
  const at = args.indexOf(option);
  return at < 0 ? undefined : args[at + 1];
}

function tableOf(rows: readonly string[][]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows
    .map((row) => row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  '))
    .join('\n');
}
