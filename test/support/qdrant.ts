import { randomUUID } from 'node:crypto';

import { QdrantVectorStore } from '../../src/adapters/qdrant.js';
import { startQdrantEdge } from './qdrant-edge/start.js';

/** A Qdrant server for tests: that of QDRANT_URL where it is set, else the stand-in, started by the test. */
export interface QdrantForTests {
  readonly url: string;
  readonly apiKey?: string;
  /** A store over collections of a name that nobody else has. */
  open(prefix?: string): QdrantVectorStore;
  /** Removes the collections that were made under names of this test, and ends the stand-in. */
  stop(): Promise<void>;
}

/** Starts or finds the server. */
export async function qdrantForTests(): Promise<QdrantForTests> {
  const { QDRANT_URL, QDRANT_API_KEY: apiKey } = process.env;
  const edge = QDRANT_URL ? undefined : await startQdrantEdge();
  const url = QDRANT_URL || (edge?.url ?? '');
  const server = { url, ...(apiKey ? { apiKey } : {}) };
  const prefixes: string[] = [];
  return {
    ...server,
    open: (prefix = newPrefix()) => {
      prefixes.push(prefix);
      return new QdrantVectorStore({ ...server, prefix });
    },
    stop: async () => {
      if (edge) await edge.stop();
      else for (const prefix of new Set(prefixes)) await removeCollections(server, prefix);
    },
  };
}

/** A prefix of collections that nobody else has. */
export const newPrefix = (): string => `test-${randomUUID()}`;

/** Removes every collection of the prefix, by the server's own interface. */
export async function removeCollections({ url, apiKey }: { url: string; apiKey?: string }, prefix: string): Promise<void> {
  const headers = apiKey === undefined ? {} : { 'api-key': apiKey };
  const answer = (await (await fetch(`${url}/collections`, { headers })).json()) as {
    result: { collections: { name: string }[] };
  };
  for (const { name } of answer.result.collections)
    if (name.startsWith(`${prefix}--`))
      await fetch(`${url}/collections/${encodeURIComponent(name)}`, { method: 'DELETE', headers });
}
