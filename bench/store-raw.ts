import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { InMemoryVectorStore } from '../src/adapters/in-memory.js';
import type { QdrantVectorStore } from '../src/adapters/qdrant.js';
import { sparseQuery } from '../src/adapters/qdrant-words.js';
import { openDatabase } from '../src/adapters/sqlite-schema.js';
import { ftsQuery } from '../src/adapters/sqlite-words.js';
import { SqliteVectorStore } from '../src/adapters/sqlite.js';
import type { EmbeddingIdentity, VectorStore } from '../src/ports/vector-store.js';
import { newPrefix, qdrantForTests } from '../test/support/qdrant.js';
import { DIMENSION, SPACE, TOP, type ExactScan } from './store-data.js';

/** A store of ours, and the same questions asked of what lies below it without us: payloads come back, as text or parsed by its own client. */
export interface Measured {
  readonly store: VectorStore;
  /** The nearest `TOP` of the space. */
  dense(vector: readonly number[]): Promise<unknown>;
  /** 60 by each signal, of current semantic points. */
  both(vector: readonly number[], words: readonly string[]): Promise<unknown>;
  readonly notes: () => Promise<string[]>;
  close(): Promise<void>;
}

/** What of each signal a hybrid search of ours asks for here. */
export const EACH = 60;

const EMBEDDING: EmbeddingIdentity = { model: 'synthetic', dimension: DIMENSION, hash: 'seed 1' };

/** How each store is opened, empty. `exact` holds the vectors that were inserted. */
export const STORES: Readonly<Record<string, (exact: ExactScan) => Promise<Measured>>> = {
  'in-memory': inMemory,
  sqlite,
  qdrant,
};

/** There is nothing below plain maps; they are compared with a scan of a typed array, for both signals with two. */
async function inMemory(exact: ExactScan): Promise<Measured> {
  const store = new InMemoryVectorStore();
  await store.ensure(EMBEDDING);
  const scan = (vector: readonly number[], limit: number) => exact.nearest(Float32Array.from(vector), limit);
  return {
    store,
    dense: async (vector) => scan(vector, TOP),
    both: async (vector) => [scan(vector, EACH), scan(vector, EACH)],
    notes: async () => ['in-memory: beside a typed-array scan, for words as well, since there is no query below plain maps'],
    close: async () => await store.close(),
  };
}

/** Below: sqlite-vec and FTS5 by SQL, on a connection of its own, payloads left as text. */
async function sqlite(): Promise<Measured> {
  const folder = await mkdtemp(join(tmpdir(), 'engraph-bench-'));
  const file = join(folder, 'memory.db');
  const store = await SqliteVectorStore.open(file);
  await store.ensure(EMBEDDING);
  const database = openDatabase(file);
  const payloads = ' as nearest join points on points.row = nearest.row';
  const knn = (conditions: string) =>
    `select nearest.row, distance, payload from (select rowid as row, distance from vectors where embedding match ? and k = ? and space = 1 ${conditions})${payloads} order by distance`;
  const dense = database.prepare(knn(''));
  const current = database.prepare(knn("and kind = 'semantic' and current = 1"));
  const met = `+words.rowid in (select point from fields where space = 1 and field = 'kind' and value = 'semantic') and +words.rowid not in (select point from fields where space = 1 and field = 'retiredAt')`;
  const words = database.prepare(
    `select nearest.row, rank, payload from (select rowid as row, bm25(words, 0, 1) as rank from words where words match ? and ${met} order by rank limit ?)${payloads} order by rank`,
  );
  return {
    store,
    dense: async (vector) => dense.all(Float32Array.from(vector), BigInt(TOP)),
    both: async (vector, asked) => [current.all(Float32Array.from(vector), BigInt(EACH)), words.all(ftsQuery(1, asked), EACH)],
    notes: async () => [`sqlite: file of ${Math.round((await stat(file)).size / 2 ** 20)} MB, synchronous = FULL`],
    close: async () => {
      database.close();
      await store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Below: the same requests by `fetch`, answers uncompressed and parsed, payloads with what our adapter reads of them. */
async function qdrant(): Promise<Measured> {
  const server = await qdrantForTests();
  const prefix = newPrefix();
  const store: QdrantVectorStore = server.open(prefix);
  await store.ensure(EMBEDDING);
  const [collection = ''] = await server.collections(prefix);
  const ask = async (searches: readonly object[]) => {
    const headers = {
      'content-type': 'application/json',
      'accept-encoding': 'identity',
      ...(server.apiKey && { 'api-key': server.apiKey }),
    };
    const body = JSON.stringify({ searches });
    const answer = await fetch(`${server.url}/collections/${collection}/points/query/batch`, { method: 'POST', headers, body });
    return (await answer.json()) as unknown;
  };
  const space = { key: 'space', match: { value: SPACE } };
  const current = [{ key: 'fields.kind', match: { value: 'semantic' } }, { is_empty: { key: 'fields.retiredAt' } }];
  const with_payload = ['id', 'revision', 'payload'];
  const idf = { params: { idf: { corpus: { must: [space] } } } };
  return {
    store,
    dense: async (query) => await ask([{ query, using: 'dense', filter: { must: [space] }, limit: TOP, with_payload }]),
    both: async (vector, words) => {
      const filter = { must: [space, ...current] };
      return await ask([
        { query: vector, using: 'dense', filter, limit: EACH, with_payload },
        { query: sparseQuery(words), using: 'words', filter, limit: EACH, with_payload, ...idf },
      ]);
    },
    notes: async () => [
      process.env['QDRANT_URL']
        ? `qdrant: the server at QDRANT_URL`
        : "qdrant: no server at hand (QDRANT_URL), so Qdrant's own engine (qdrant-edge 0.9.0) behind the tests' HTTP shim in Python; nothing is optimised, so search is exact",
    ],
    close: async () => {
      await store.close();
      await server.stop();
    },
  };
}
