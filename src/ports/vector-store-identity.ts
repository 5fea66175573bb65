import { EngraphError } from '../domain/failure.js';
import type { EmbeddingIdentity } from './vector-store.js';

/**
 * Refuses an embedding other than the one a store was made for: `embedding_dimension` where the vectors have another length,
 * `embedding_model` where another model made them. `store` is its name as a user knows it, `wayOut` what they can do.
 */
export function checkIdentity(store: string, stored: EmbeddingIdentity, given: EmbeddingIdentity, wayOut: string): void {
  if (stored.dimension !== given.dimension) {
    throw new EngraphError(
      'embedding_dimension',
      `${store} holds vectors of ${stored.dimension} numbers (${stored.model}), but ${given.model} makes ${given.dimension}; ${wayOut}`,
      { details: { store, stored: stored.dimension, given: given.dimension } },
    );
  }
  if (stored.model !== given.model || stored.hash !== given.hash) {
    throw new EngraphError(
      'embedding_model',
      `${store} was made with ${stored.model} (${stored.hash}), not with ${given.model} (${given.hash}); ${wayOut}`,
      { details: { store, stored: { ...stored }, given: { ...given } } },
    );
  }
}
