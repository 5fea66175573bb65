import assert from 'node:assert/strict';

import fc from 'fast-check';

import { compareFacts, isStrictlyLater, type PlacedFact } from '../../src/domain/fact-order.js';

const place = fc.record(
  {
    id: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    validFrom: fc.constantFrom('2024-01-01T00:00:00.000Z', '2024-02-01T00:00:00.000Z'),
    source: fc.record(
      { conversation: fc.constantFrom('x', 'y'), position: fc.integer({ min: 0, max: 3 }) },
      { requiredKeys: [], noNullPrototype: true },
    ),
  },
  { requiredKeys: ['id', 'source'], noNullPrototype: true },
);

describe('the order of facts', () => {
  it('is total: facts sort the same from whatever order they come in', () => {
    fc.assert(
      fc.property(fc.array(place, { maxLength: 8 }), fc.nat(), (facts, seed) => {
        const turned = facts.map((_, at) => facts[(at + seed) % facts.length] as PlacedFact);
        assert.deepEqual([...turned].sort(compareFacts), [...facts].sort(compareFacts));
      }),
    );
  });

  it('never says that one of two facts came after the other and also before it', () => {
    fc.assert(
      fc.property(place, place, (a, b) => {
        if (!isStrictlyLater(a, b)) return;
        assert.equal(isStrictlyLater(b, a), false);
        assert.ok(compareFacts(a, b) > 0, 'what is strictly later also sorts after');
      }),
    );
  });

  const [jan, feb] = ['2024-01-01T00:00:00.000Z', '2024-02-01T00:00:00.000Z'];
  const fact = (validFrom: string | undefined, conversation?: string, position?: number): PlacedFact => ({
    id: 'f',
    ...(validFrom !== undefined && { validFrom }),
    source: { ...(conversation !== undefined && { conversation }), ...(position !== undefined && { position }) },
  });
  const CASES: [string, PlacedFact, PlacedFact, boolean][] = [
    ['by event time, whichever was told first', fact(feb, 'x', 0), fact(jan, 'x', 9), true],
    ['at one time by the place in the conversation', fact(jan, 'x', 2), fact(jan, 'x', 1), true],
    ['not at one place', fact(jan, 'x', 1), fact(jan, 'x', 1), false],
    ['not at one time in two conversations', fact(jan, 'x', 2), fact(jan, 'y', 1), false],
    ['not where only one time is known', fact(jan, 'x', 2), fact(undefined, 'x', 1), false],
    ['by the place where no time is known', fact(undefined, 'x', 2), fact(undefined, 'x', 1), true],
  ];
  for (const [title, later, earlier, expected] of CASES) {
    it(`is strict ${title}`, () => assert.equal(isStrictlyLater(later, earlier), expected));
  }
});
