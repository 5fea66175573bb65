import assert from 'node:assert/strict';

import fc from 'fast-check';

import type { StepLink } from '../../src/domain/graph.js';
import { applyChange, applyVerified, outside, shown, type Change } from '../../src/domain/subgraph.js';

const aLink = (number: number, more: Partial<StepLink> = {}): StepLink => ({
  ...{
    number,
    step: 0,
    round: 0,
    act: 'activates',
    nodeId: `node-${number}`,
    version: 1,
    kind: 'semantic',
    score: 0.5,
    reason: 'ranked',
  },
  ...more,
});

const numbers = (links: readonly StepLink[]): number[] => links.map(({ number }) => number);
const someOf = (from: number, to: number) => fc.uniqueArray(fc.integer({ min: from, max: to }), { maxLength: 8 });

/** Links 1 to 9 at most, and a change that may name links that are not there. */
const changes = fc
  .record({ links: someOf(1, 9), removed: someOf(1, 12), reshaped: someOf(1, 12), added: someOf(20, 29) })
  .map(({ links, removed, reshaped, added }) => ({
    links: links.map((number) => aLink(number)),
    change: {
      removed: removed.map((number) => ({ number, score: 0.1, reason: 'off_topic' })),
      reshaped: reshaped.map((number) => ({ number, ref: `text-${number}`, direction: 'finer' })),
      added: added.map((number) => aLink(number, { round: 3, act: 'expands', reason: 'feedback' })),
    } satisfies Change,
  }));

describe('applyChange', () => {
  it('takes away what is pruned, adds what is expanded last, and keeps the order of the rest', () => {
    fc.assert(
      fc.property(changes, ({ links, change }) => {
        const gone = new Set(change.removed.map(({ number }) => number));
        const after = applyChange(links, change, 3);
        assert.deepEqual(numbers(after.links), [
          ...numbers(links).filter((number) => !gone.has(number)),
          ...numbers(change.added),
        ]);
      }),
    );
  });

  it('tells every act once, in this round, and none on a link that is not there', () => {
    fc.assert(
      fc.property(changes, ({ links, change }) => {
        const { acts } = applyChange(links, change, 3);
        const there = new Set(numbers(links));
        const gone = change.removed.filter(({ number }) => there.has(number));
        const done = (act: StepLink['act']) => acts.filter((link) => link.act === act);
        assert.ok(acts.every(({ round }) => round === 3));
        assert.deepEqual(
          numbers(done('prunes')),
          gone.map(({ number }) => number),
        );
        assert.deepEqual(numbers(done('expands')), numbers(change.added));
        const stays = new Set(numbers(links).filter((number) => !gone.some((one) => one.number === number)));
        assert.deepEqual(
          new Set(numbers(done('reshapes'))),
          new Set(change.reshaped.map(({ number }) => number).filter((number) => stays.has(number))),
        );
      }),
    );
  });

  it('shows an overlay in the node’s place, with the node’s own id and version', () => {
    const { links } = applyChange(
      [aLink(1), aLink(2)],
      { added: [], removed: [], reshaped: [{ number: 2, ref: 'r', direction: 'coarser' }] },
      1,
    );
    assert.deepEqual(links, [aLink(1), aLink(2, { round: 1, act: 'reshapes', reason: 'coarser', overlay: 'r' })]);
    assert.deepEqual(shown(links), [
      { number: 1, nodeId: 'node-1' },
      { number: 2, nodeId: 'node-2', overlay: 'r' },
    ]);
  });

  it('changes nothing where there is nothing to change, and never its argument', () => {
    fc.assert(
      fc.property(changes, ({ links, change }) => {
        const before = structuredClone(links);
        applyChange(links, change, 1);
        assert.deepEqual(links, before);
        assert.deepEqual(applyChange(links, { added: [], removed: [], reshaped: [] }, 1), { links, acts: [] });
      }),
    );
  });
});

describe('applyVerified', () => {
  it('puts what was chosen in place of the short list: first in formation, last in an expand', () => {
    const links = [aLink(1), aLink(2), aLink(7, { kind: 'episodic' })];
    const list = [{ number: 1 }, { number: 2 }, { number: 3 }];
    assert.deepEqual(numbers(applyVerified(links, [aLink(3), aLink(1)], list)), [3, 1, 7]);
    assert.deepEqual(numbers(applyVerified(links, [aLink(3, { act: 'expands' })], list)), [7, 3]);
  });

  it('leaves every link that it has no say in, and none of the short list that was not chosen', () => {
    fc.assert(
      fc.property(someOf(1, 9), someOf(1, 12), fc.nat(5), (have, listed, keep) => {
        const links = have.map((number) => aLink(number));
        const list = listed.map((number) => ({ number }));
        const chosen = listed.slice(0, keep).map((number) => aLink(number));
        const after = applyVerified(links, chosen, list);
        assert.deepEqual(new Set(numbers(after)), new Set([...numbers(outside(links, list)), ...numbers(chosen)]));
        assert.equal(after.length, new Set(numbers(after)).size);
      }),
    );
  });
});
