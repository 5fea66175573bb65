import assert from 'node:assert/strict';

import fc from 'fast-check';

import { sessionsOf } from '../../src/domain/sessions.js';
import { STRUCTURE, structureScores, type StructureQuery, type TurnSignals } from '../../src/domain/structure.js';

const HOUR = 3_600_000;

/** A turn that says nothing of what is asked. */
const aTurn = (position: number, more: Partial<TurnSignals> = {}): TurnSignals => ({
  ...{ id: `turn ${position}`, conversation: 'c', position, asks: false, dense: 0, counts: {}, length: 10, fact: 0 },
  ...more,
});
const query = (more: Partial<StructureQuery> = {}): StructureQuery => ({
  words: ['heron'],
  statistics: { documents: 100, averageLength: 10, frequency: { heron: 3 } },
  named: [],
  weights: { denseWeight: 1, bm25Weight: 0.5, llmWeight: 0.3 },
  ...more,
});
const scoresOf = (turns: readonly TurnSignals[], asked = query()) => {
  const scores = structureScores(turns, asked);
  return turns.map(({ id }) => scores.get(id) ?? Number.NaN);
};
const heron = { dense: 0.6, counts: { heron: 1 } };

const turns = fc.uniqueArray(
  fc.record({
    id: fc.uuid(),
    conversation: fc.constantFrom('a', 'b', ''),
    position: fc.nat(30),
    asks: fc.boolean(),
    dense: fc.double({ min: -1, max: 1, noNaN: true }),
    counts: fc.dictionary(fc.constantFrom('heron', 'fish', 'constructor'), fc.integer({ min: 1, max: 5 })),
    length: fc.nat(100),
    fact: fc.double({ min: 0, max: 1, noNaN: true }),
    at: fc.nat(100 * HOUR),
    topic: fc.constantFrom('x', 'y'),
  }),
  { selector: ({ id }) => id },
);

describe('sessionsOf', () => {
  const ids = (some: readonly TurnSignals[]) =>
    sessionsOf(some, 4 * HOUR).map((session) => session.map(({ position }) => position));

  it('begins a session after a gap in time, with another topic where no time is known, in another conversation, and nowhere else', () => {
    assert.deepEqual(ids([0, 1, 2].map((place) => aTurn(place, { at: place * 4 * HOUR }))), [[0, 1, 2]]);
    assert.deepEqual(ids([aTurn(0, { at: 0 }), aTurn(1, { at: 4 * HOUR + 1 }), aTurn(2)]), [[0], [1, 2]]);
    assert.deepEqual(ids([aTurn(1, { at: 0 }), aTurn(0, { at: 9 * HOUR })]), [[0], [1]]);
    assert.deepEqual(ids([aTurn(0, { topic: 'x' }), aTurn(1), aTurn(2, { topic: 'y' }), aTurn(3, { topic: 'x' })]), [
      [0, 1, 2],
      [3],
    ]);
    assert.deepEqual(ids([aTurn(0, { at: 0, topic: 'x' }), aTurn(1, { at: HOUR, topic: 'y' })]), [[0, 1]]);
    assert.deepEqual(ids([aTurn(0), aTurn(1, { conversation: 'd' })]), [[0], [1]]);
  });

  it('has each turn once, whatever the order they come in', () => {
    fc.assert(
      fc.property(turns, (some) => {
        const sessions = sessionsOf(some, 4 * HOUR);
        assert.deepEqual(sessions, sessionsOf(some.toReversed(), 4 * HOUR));
        assert.deepEqual(
          sessions
            .flat()
            .map(({ id }) => id)
            .sort(),
          some.map(({ id }) => id).sort(),
        );
        assert.ok(sessions.every((session) => session.length > 0));
      }),
    );
  });
});

describe('structureScores', () => {
  it('gives the neighbours of a hit more than others, the one after it most, and never across a session', () => {
    const far = { at: 0 };
    const [before = 0, hit = 0, after = 0, later = 0] = scoresOf([aTurn(4), aTurn(5, heron), aTurn(6), aTurn(7)]);
    assert.ok(hit > after && after > before && before > later);
    const [, , beyond = 0, last] = scoresOf([
      aTurn(4, far),
      aTurn(5, { ...heron, ...far }),
      aTurn(6, { at: 5 * HOUR }),
      aTurn(7),
    ]);
    assert.equal(beyond, last);
  });

  it('takes two turns for neighbours over a few missing places, and not over many', () => {
    const [, near = 0, far = 0] = scoresOf([aTurn(5, heron), aTurn(8), aTurn(20)]);
    assert.ok(near > far);
    const [, beyond, other] = scoresOf([aTurn(5, heron), aTurn(9), aTurn(20)]);
    assert.equal(beyond, other);
  });

  it('prefers the turns of the one speaker named, and of none where two are', () => {
    const both = [aTurn(0, { speaker: 'Ann' }), aTurn(10, { speaker: 'Bo' })];
    const [ann = 0, bo = 0] = scoresOf(both, query({ named: ['Ann'] }));
    assert.ok(Math.abs(ann - bo - STRUCTURE.speaker) < 1e-9);
    const [one, two] = scoresOf(both, query({ named: ['Ann', 'Bo'] }));
    assert.equal(one, two);
  });

  it('prefers the session that answers best', () => {
    const [same = 0, , other = 0] = scoresOf([
      aTurn(0, { topic: 'x' }),
      aTurn(9, { ...heron, topic: 'x' }),
      aTurn(20, { topic: 'y' }),
      aTurn(29, { topic: 'y' }),
    ]);
    assert.ok(same > other);
  });

  it('prefers what answers to what asks, what says something to a word or two, and what facts were drawn from', () => {
    const [says = 0, asks = 0] = scoresOf([aTurn(0), aTurn(10, { asks: true })]);
    assert.ok(says > asks);
    const [long = 0, short = 0] = scoresOf([aTurn(0, { length: 20 }), aTurn(10, { length: 2 })]);
    assert.ok(long > short);
    const [drawn = 0, not = 0] = scoresOf([aTurn(0, { fact: 1 }), aTurn(10)]);
    assert.ok(drawn > not);
  });

  it('is one finite number a turn, the same in whatever order they come, and needs no name, time or topic', () => {
    fc.assert(
      fc.property(turns, fc.constantFrom<string[]>([], ['Ann'], ['Ann', 'Bo']), (some, named) => {
        const scores = structureScores(some, query({ named, words: ['heron', 'constructor'] }));
        assert.equal(scores.size, some.length);
        assert.ok([...scores.values()].every(Number.isFinite));
        const again = structureScores(some.toReversed(), query({ named, words: ['heron', 'constructor'] }));
        assert.deepEqual([...again].sort(), [...scores].sort());
      }),
    );
  });
});
