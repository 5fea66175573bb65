import assert from 'node:assert/strict';

import fc from 'fast-check';

import { batchIdOf, inOrder, isWhole, join, nextPass, precedingFrom, tokensIn } from '../../src/domain/buffers.js';
import { LOOK_BACK } from '../../src/domain/segmentation.js';
import type { TurnRef } from '../../src/domain/turn.js';

const refs = (tokens: readonly number[]): TurnRef[] =>
  tokens.map((count, sequence) => ({ turnId: `t${sequence}`, sequence, tokens: count }));

describe('the buffers of a conversation', () => {
  it('pass on the oldest turns that fill them, and no more', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 50 })), fc.integer({ min: 8, max: 200 }), (tokens, capacity) => {
        const turns = refs(tokens);
        const pass = nextPass(turns, capacity, 0);
        if (pass === undefined) return assert.ok(tokensIn(turns) < capacity);
        assert.deepEqual(pass.turns, turns.slice(0, pass.turns.length));
        assert.ok(tokensIn(pass.turns) >= capacity && tokensIn(pass.turns.slice(0, -1)) < capacity && !pass.flush);
      }),
    );
  });

  it('pass on what is there when a turn in it is to be flushed, and nothing when none is', () => {
    const turns = refs([3, 3, 3]);
    assert.deepEqual(nextPass(turns, 512, 3), { turns, flush: true });
    assert.equal(nextPass(turns.slice(1), 512, 1), undefined);
    assert.equal(nextPass([], 512, 9), undefined);
  });

  it('know a cut that loses, doubles or moves a turn', () => {
    const [a, b, c] = refs([1, 1, 1]) as [TurnRef, TurnRef, TurnRef];
    const segment = (...turns: TurnRef[]) => ({ turns, joins: null, topicId: 'x' });
    assert.ok(isWhole([a, b, c], [segment(a), segment(b)], [c]));
    for (const [segments, rest] of [
      [[segment(a)], [c]],
      [[segment(a), segment(a, b)], [c]],
      [[segment(b), segment(a)], [c]],
    ] as const) {
      assert.ok(!isWhole([a, b, c], segments, rest));
    }
  });

  it('join a segment to the topic that it continues, or open one', () => {
    const [a, b, c] = refs([1, 1, 1]) as [TurnRef, TurnRef, TurnRef];
    const one = join([], { turns: [a], joins: null, topicId: 'tea' });
    const two = join(one.open, { turns: [b], joins: null, topicId: 'birds' });
    const three = join(two.open, { turns: [c], joins: 'tea', topicId: 'tea' });
    assert.deepEqual(
      inOrder(three.open).map(({ topicId, turns }) => [topicId, turns.map(({ turnId }) => turnId)]),
      [
        ['tea', ['t0', 't2']],
        ['birds', ['t1']],
      ],
    );
    const late = join([], { turns: [c], joins: 'tea', topicId: 'tea' });
    assert.equal(late.topic.topicId, 'tea', 'a topic that was extracted meanwhile begins anew');
    assert.notEqual(batchIdOf('s', 'c', one.open), batchIdOf('s', 'c', two.open));
  });
});

describe('precedingFrom', () => {
  it('keeps the latest turns that left the buffer, and the topic of the last', () => {
    const turns = Array.from({ length: 20 }, (_, at) => ({ turnId: `turn ${at}`, sequence: at, tokens: 1 }));
    const ids = turns.map(({ turnId }) => turnId);
    const gone = precedingFrom(undefined, 'tea', turns.slice(0, 2));
    assert.deepEqual(gone, { topicId: 'tea', turnIds: ids.slice(0, 2) });
    assert.deepEqual(precedingFrom(gone, 'bikes', turns.slice(2, 4)), { topicId: 'bikes', turnIds: ids.slice(0, 4) });
    assert.deepEqual(precedingFrom(gone, 'bikes', turns.slice(2)), { topicId: 'bikes', turnIds: ids.slice(-LOOK_BACK) });
  });
});
