import { EngraphError } from '../domain/failure.js';

/** How Qdrant is reached. */
export interface QdrantConfig {
  /** Without a slash at its end. Absent: the embedded store is used. */
  readonly url?: string;
  readonly apiKey?: string;
  /** The collection's name begins so. Default `engraph`. */
  readonly prefix: string;
  /** Longest wait for one answer, in milliseconds. Default 10000; the client's own is 300000 (facts/vector-stores.md 5). */
  readonly timeoutMs: number;
}

interface Given {
  readonly QDRANT_URL?: string;
  readonly QDRANT_API_KEY?: string;
  readonly ENGRAPH_COLLECTION_PREFIX?: string;
  readonly ENGRAPH_STORE_TIMEOUT_MS?: number;
  readonly ENGRAPH_STORE?: string;
}

/**
 * Qdrant's settings, checked each by itself before. An empty QDRANT_URL is refused, unlike other empty values: it would quietly
 * put a memory elsewhere than was meant (case O40). Fails with `config`.
 */
export function qdrantConfig(given: Given, urlIsEmpty: boolean): QdrantConfig {
  const { QDRANT_URL: url, QDRANT_API_KEY: apiKey, ENGRAPH_COLLECTION_PREFIX: prefix = 'engraph' } = given;
  const wrong = urlIsEmpty
    ? 'QDRANT_URL is empty: name a server such as http://127.0.0.1:6333, or unset it for the embedded store'
    : url !== undefined && given.ENGRAPH_STORE !== undefined
      ? 'QDRANT_URL and ENGRAPH_STORE (--store) are both set, and a memory is in one store: unset one of them'
      : undefined;
  if (wrong !== undefined) throw new EngraphError('config', wrong, { details: { setting: 'QDRANT_URL' } });
  const timeoutMs = given.ENGRAPH_STORE_TIMEOUT_MS ?? 10_000;
  return { prefix, timeoutMs, ...(url !== undefined && { url }), ...(apiKey !== undefined && { apiKey }) };
}
