import { randomUUID } from 'node:crypto';

import { collectionName } from '../../src/adapters/qdrant-schema.js';
import { QdrantVectorStore } from '../../src/adapters/qdrant.js';
import type { EmbeddingIdentity } from '../../src/ports/vector-store.js';
import { startQdrantEdge } from './qdrant-edge/start.js';

/** A Qdrant server for tests: that of QDRANT_URL where it is set, else the stand-in, started by the test. */
export interface QdrantForTests {
  readonly url: string;
  readonly apiKey?: string;
  /** A store over collections of a name that nobody else has. */
  open(prefix?: string): QdrantVectorStore;
  /** Names of the prefix's collections, by the server's own interface. */
  collections(prefix: string): Promise<string[]>;
  /** What the server says of a collection. */
  describe(collection: string): Promise<CollectionTold>;
  pointsOf(collection: string): Promise<number>;
  /** Makes a collection as somebody else would. */
  make(collection: string, config: object): Promise<void>;
  /** The name that the store gives a collection. */
  nameOf(prefix: string, embedding: EmbeddingIdentity): string;
  /** Removes the collections that were made under names of this test, and ends the stand-in. */
  stop(): Promise<void>;
}

/** The part of a collection's description that tests look at. */
export interface CollectionTold {
  readonly points_count: number;
  readonly config: { readonly params: { readonly vectors: unknown; readonly sparse_vectors: unknown } };
  readonly payload_schema: Readonly<Record<string, { readonly data_type: string }>>;
}

/** A prefix of collections that nobody else has. */
export const newPrefix = (): string => `test-${randomUUID()}`;

/** Starts or finds the server. */
export async function qdrantForTests(): Promise<QdrantForTests> {
  const { QDRANT_URL, QDRANT_API_KEY: apiKey } = process.env;
  const edge = QDRANT_URL ? undefined : await startQdrantEdge();
  const server = { url: QDRANT_URL || (edge?.url ?? ''), ...(apiKey ? { apiKey } : {}) };
  const used = new Set<string>();
  const ask = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const headers = { 'content-type': 'application/json', ...(apiKey ? { 'api-key': apiKey } : {}) };
    const answer = await fetch(server.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return ((await answer.json()) as { result: T }).result;
  };
  const at = (collection: string) => `/collections/${encodeURIComponent(collection)}`;
  const collections = async (prefix: string) => {
    const found = await ask<{ collections: { name: string }[] }>('GET', '/collections');
    return found.collections.map(({ name }) => name).filter((name) => name.startsWith(`${prefix}--`));
  };
  return {
    ...server,
    open: (prefix = newPrefix()) => {
      used.add(prefix);
      return new QdrantVectorStore({ ...server, prefix });
    },
    collections,
    describe: async (collection) => await ask('GET', at(collection)),
    pointsOf: async (collection) =>
      (await ask<{ count: number }>('POST', `${at(collection)}/points/count`, { exact: true })).count,
    make: async (collection, config) => void (await ask('PUT', at(collection), config)),
    nameOf: collectionName,
    stop: async () => {
      if (edge) return await edge.stop();
      for (const prefix of used) for (const name of await collections(prefix)) await ask('DELETE', at(name));
    },
  };
}
