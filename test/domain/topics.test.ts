import assert from 'node:assert/strict';

import fc from 'fast-check';

import { isWhole, join, type Segment } from '../../src/domain/buffers.js';
import { placeSegments } from '../../src/domain/topics.js';
import type { Topic, TurnRef } from '../../src/domain/turn.js';
import { unit } from '../../src/domain/vector.js';

const aTurn = (sequence: number): TurnRef => ({ turnId: `turn ${sequence}`, sequence, tokens: 1 });
const turns = (from: number, to: number): TurnRef[] => Array.from({ length: to - from }, (_, at) => aTurn(from + at));
const [TEA, BIKES] = [
  [1, 0],
  [0, 1],
];
const about = (said: readonly (readonly number[])[]) => new Map(said.map((vector, at) => [`turn ${at}`, vector]));
const where = { space: 's', conversation: 'c' };

describe('placeSegments', () => {
  it('places every turn once and in order, whatever the cuts, the vectors and the open topics, and always places something', () => {
    const cases = fc.record({
      count: fc.integer({ min: 0, max: 30 }),
      opened: fc.integer({ min: 0, max: 12 }),
      starts: fc.array(fc.integer({ min: -2, max: 35 })),
      angles: fc.array(fc.option(fc.integer({ min: 0, max: 628 }), { nil: undefined }), { minLength: 42, maxLength: 42 }),
      flush: fc.boolean(),
      before: fc.option(fc.constantFrom('open turn 0', 'open turn 3', 'extracted'), { nil: undefined }),
    });
    fc.assert(
      fc.property(cases, ({ count, opened, starts, angles, flush, before }) => {
        const vectors = new Map(
          angles.flatMap((angle, at) =>
            angle === undefined ? [] : [[`turn ${at}`, unit([Math.cos(angle / 100), Math.sin(angle / 100)])] as const],
          ),
        );
        const open = turns(0, opened).map((turn): Topic => ({ topicId: `open ${turn.turnId}`, turns: [turn] }));
        const buffer = turns(opened, opened + count);
        const cut = { ...where, turns: buffer, starts, open, vectors, flush, ...(before !== undefined && { before }) };
        const placed = placeSegments(cut);
        assert.ok(isWhole(buffer, placed.segments, placed.rest));
        assert.ok(!flush || placed.rest.length === 0);
        assert.ok(count === 0 || placed.segments.length > 0);
        assert.ok(placed.segments.every((segment) => segment.turns.length > 0));
        assert.deepEqual(placeSegments(cut), placed);
        const after = placed.segments.reduce<readonly Topic[]>((held, segment) => join(held, segment).open, open);
        const held = after.flatMap((topic) => topic.turns.map(({ sequence }) => sequence)).sort((a, b) => a - b);
        assert.deepEqual(
          held,
          Array.from({ length: opened + count - placed.rest.length }, (_, at) => at),
        );
      }),
    );
  });

  it('goes on with the topic before the buffer where its first turn starts none, open or not, and leaves it where it does', () => {
    const vectors = about([TEA, TEA, BIKES, BIKES].map((vector) => vector as number[]));
    const buffer = { ...where, turns: turns(2, 4), vectors, flush: true, before: 'tea' };
    const open = [{ topicId: 'tea', turns: turns(0, 2) }];
    const topics = (starts: readonly number[], held: readonly Topic[]) =>
      placeSegments({ ...buffer, starts, open: held }).segments.map(({ joins, topicId }) => [joins, topicId]);
    assert.deepEqual(topics([], open), [['tea', 'tea']]);
    assert.deepEqual(topics([], []), [[null, 'tea']]);
    const [[joins, topicId] = []] = topics([0], open);
    assert.equal(joins, null);
    assert.notEqual(topicId, 'tea');
  });

  it('lets what follows the last cut wait, and nothing on flush', () => {
    const buffer = { ...where, turns: turns(0, 4), starts: [2], open: [], vectors: new Map<string, number[]>() };
    assert.deepEqual(placeSegments({ ...buffer, flush: false }).rest, turns(2, 4));
    assert.equal(placeSegments({ ...buffer, flush: true }).segments.length, 2);
  });

  it('makes a buffer without a cut one segment', () => {
    const { segments, rest } = placeSegments({
      ...where,
      turns: turns(0, 3),
      starts: [],
      open: [],
      vectors: new Map(),
      flush: false,
    });
    assert.deepEqual([segments.length, rest.length], [1, 0]);
  });

  it('joins a segment to the open topic it continues, and opens one for what is new', () => {
    const open = [
      { topicId: 'tea', turns: turns(0, 2) },
      { topicId: 'trains', turns: [] },
    ];
    const vectors = about([TEA, TEA, TEA, TEA, BIKES, BIKES]);
    const { segments } = placeSegments({ ...where, turns: turns(2, 6), starts: [2], open, vectors, flush: true });
    assert.deepEqual(
      segments.map(({ joins }) => joins),
      ['tea', null],
    );
  });

  it('comes back to a topic of the same buffer, but never to the one it was just cut from', () => {
    const vectors = about([TEA, TEA, BIKES, BIKES, TEA, TEA]);
    const { segments } = placeSegments({ ...where, turns: turns(0, 6), starts: [2, 4, 5], open: [], vectors, flush: true });
    const [first] = segments as [Segment];
    assert.deepEqual(
      segments.map(({ joins }) => joins),
      [null, null, first.topicId, null],
    );
    assert.equal(new Set(segments.map(({ topicId }) => topicId)).size, 4);
  });
});
