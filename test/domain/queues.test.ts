import assert from 'node:assert/strict';

import fc from 'fast-check';

import { MOST_FACTS, updateQueues } from '../../src/domain/queues.js';
import type { CandidateLink } from '../../src/domain/update-queue.js';

const ORDER = Array.from({ length: 60 }, (_, n) => `f${String(n).padStart(2, '0')}`);
const link = (a: number, b: number, weight: number, by: CandidateLink['by'] = 'near'): CandidateLink => ({
  ...{ earlier: ORDER[Math.min(a, b)] ?? '', later: ORDER[Math.max(a, b)] ?? '', weight, by },
});
const links = fc
  .uniqueArray(
    fc.record({
      a: fc.nat(ORDER.length - 1),
      b: fc.nat(ORDER.length - 1),
      weight: fc.double({ min: 0.01, max: 0.99, noNaN: true }),
      by: fc.constantFrom('near' as const, 'entity' as const, 'beside' as const),
    }),
    { maxLength: 150, selector: ({ a, b }) => `${Math.min(a, b)} ${Math.max(a, b)}` },
  )
  .map((some) =>
    some
      .filter(({ a, b }) => a !== b)
      .map(({ a, b, weight, by }) => link(a, b, by === 'beside' ? weight / 2 : 0.5 + weight / 2, by)),
  );

describe('update queues', () => {
  it('hold each fact once and sixteen at most, in time order, and every link that is worth a question is in one or cut', () => {
    fc.assert(
      fc.property(links, (some) => {
        const { queues, cut } = updateQueues(ORDER, some);
        const held = queues.flatMap(({ facts }) => facts);
        assert.equal(new Set(held).size, held.length);
        for (const { facts, links: inside } of queues) {
          assert.ok(facts.length >= 2 && facts.length <= MOST_FACTS);
          assert.deepEqual(facts, [...facts].sort());
          assert.deepEqual([...new Set(inside.flatMap(({ earlier, later }) => [earlier, later]))].sort(), facts);
          const targets = new Set(inside.filter(({ by }) => by !== 'beside').map(({ later }) => later));
          assert.ok(
            inside.every(({ later }) => targets.has(later)),
            'nobody is asked for what stands beside alone',
          );
        }
        const telling = some.filter(({ by }) => by !== 'beside');
        const placed = [...queues.flatMap((queue) => queue.links.filter(({ by }) => by !== 'beside')), ...cut];
        const keys = (all: readonly CandidateLink[]) => all.map((one) => JSON.stringify(one)).sort();
        assert.deepEqual(keys(placed), keys(telling));
      }),
    );
  });

  it('are the same for the same links in any order', () => {
    fc.assert(
      fc.property(links, fc.nat(), (some, turn) => {
        const turned = some.map((_, at) => some[(at + turn) % some.length] as CandidateLink).reverse();
        assert.deepEqual(updateQueues(ORDER, turned), updateQueues(ORDER, some));
      }),
    );
  });

  it('are used up in the end: what is cut, planned again and again, grows fewer', () => {
    fc.assert(
      fc.property(links, (some) => {
        let left = some.filter(({ by }) => by !== 'beside');
        while (left.length > 0) {
          const { cut } = updateQueues(ORDER, left);
          assert.ok(cut.length < left.length);
          left = [...cut];
        }
      }),
    );
  });

  it('are cut where they hang together least', () => {
    const chain = Array.from({ length: 19 }, (_, at) => link(at, at + 1, at === 7 ? 0.6 : 0.9));
    const { queues, cut } = updateQueues(ORDER, chain);
    assert.deepEqual(
      queues.map(({ facts }) => facts.length),
      [8, 12],
    );
    assert.deepEqual(cut, [link(7, 8, 0.6)]);
  });

  it('leave facts that nothing links alone', () => assert.deepEqual(updateQueues(ORDER, []), { queues: [], cut: [] }));
});
