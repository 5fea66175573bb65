import assert from 'node:assert/strict';

import { membersFirst, type RankedFact } from '../../src/domain/abstract-ranking.js';

const fact = (id: string, score: number, bm25: number): RankedFact => ({ id, score, bm25 });
const order = (...ranked: RankedFact[]): string[] =>
  membersFirst(ranked, ({ id }) => (id === 'general' ? ['one', 'two'] : undefined)).map(({ id }) => id);

describe('a general fact', () => {
  it('is ranked behind its members that have more of the telling words', () => {
    assert.deepEqual(order(fact('general', 0.9, 1), fact('one', 0.8, 2), fact('x', 0.7, 0), fact('two', 0.6, 3)), [
      'one',
      'x',
      'two',
      'general',
    ]);
  });

  it('stays where it is for a general question, and where no member was found', () => {
    assert.deepEqual(order(fact('general', 0.9, 2), fact('one', 0.8, 2)), ['general', 'one']);
    assert.deepEqual(order(fact('general', 0.9, 0), fact('x', 0.8, 2)), ['general', 'x']);
  });

  it('does not rise where its members are better anyway', () => {
    assert.deepEqual(order(fact('one', 0.9, 2), fact('x', 0.8, 2), fact('general', 0.7, 1)), ['one', 'x', 'general']);
  });
});
