import type { SemanticNode } from '../../src/domain/graph.js';
import { aFact } from './nodes.js';

/** A fact as it is read from a store, in its first version. */
export const aStoredFact = (text: string, more: Partial<SemanticNode> = {}): SemanticNode => ({
  ...aFact(text),
  ...{ space: 'ann', version: 1, recordedAt: '2026-01-01T00:00:00.000Z', status: 'fresh' },
  ...more,
});
