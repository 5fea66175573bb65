import assert from 'node:assert/strict';

import { EngraphError, type FailureKind } from '../../src/domain/failure.js';
import { idOf } from '../../src/domain/id.js';
import type { JsonObject } from '../../src/domain/json.js';
import { unit } from '../../src/domain/vector.js';
import { countWords } from '../../src/domain/words.js';
import type { EmbeddingIdentity, Point, Write } from '../../src/ports/vector-store.js';

/** What the stores of the tests are made for. */
export const EMBEDDING: EmbeddingIdentity = { model: 'test-model', dimension: 4, hash: 'abc' };

/** A point named by a word; `text` gives its terms. */
export function point(
  name: string,
  payload: JsonObject = {},
  more: { space?: string; vector?: number[]; text?: string } = {},
): Point {
  const { space = 'ann', vector, text } = more;
  return {
    id: idOf(name),
    space,
    payload,
    ...(vector && { vector: unit(vector) }),
    ...(text !== undefined && { terms: countWords(text) }),
  };
}

/** Writes of these points that expect nothing. */
export const writes = (...points: readonly Point[]): Write[] => points.map((one) => ({ point: one }));

/** The failure's kind, whatever store it comes from. */
export const kind = (expected: FailureKind) => (error: unknown) => {
  assert.ok(error instanceof EngraphError, `expected an EngraphError, got ${String(error)}`);
  assert.equal(error.kind, expected, error.message);
  return true;
};
