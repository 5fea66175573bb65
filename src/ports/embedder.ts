import type { CallOptions, EmbeddingIdentity } from './vector-store.js';

/**
 * Texts to unit vectors of one fixed dimension. A text's vector does not depend on the batch it comes in. Ill-formed Unicode
 * is repaired before it leaves; a text longer than the model reads is cut at the model's limit. Failures:
 * `embedding_unavailable` (retryable), `embedding_dimension`, `llm_auth`, `llm_quota`, `llm_rate_limited`.
 */
export interface Embedder {
  readonly identity: EmbeddingIdentity;
  embed(texts: readonly string[], options?: CallOptions): Promise<number[][]>;
  close(): Promise<void>;
}
