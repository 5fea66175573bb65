import assert from 'node:assert/strict';

import fc from 'fast-check';

import { attentionCut, diagonalMeans, passesOver } from '../../src/domain/attention-cut.js';
import {
  ATTENTION_LIMIT,
  cutScores,
  gapsInDoubt,
  LOOK_BACK,
  MINILM_CUTS,
  RELATIVE_WEIGHTS,
  relativeLeast,
  startsBy,
  topicStarts,
  windowCosine,
  type TurnTrace,
} from '../../src/domain/segmentation.js';

const [TEA, BIKES] = [
  [1, 0],
  [0, 1],
];
const aTurn = (vector: readonly number[], text = 'one two three', more: Partial<TurnTrace> = {}): TurnTrace => ({
  ...{ vector, text, speaker: 'a', mayOpen: true },
  ...more,
});
const any = (): boolean => true;

const { weights, least } = MINILM_CUTS;

describe('topicStarts', () => {
  it('cuts where what is said changes, and nowhere else', () => {
    const turns = [TEA, TEA, TEA, TEA, BIKES, BIKES, BIKES, BIKES].map((vector) => aTurn(vector as number[]));
    assert.deepEqual(topicStarts(cutScores(turns, weights), any, least), [4]);
  });

  it('leaves one topic whole, however short the run', () => {
    for (const count of [0, 1, 2, 3, 12]) {
      const turns = Array.from({ length: count }, () => aTurn(TEA as number[]));
      assert.deepEqual(topicStarts(cutScores(turns, weights), any, least), []);
    }
  });

  it('starts no topic with a turn that only answers', () => {
    const turns = [TEA, TEA, TEA, BIKES, BIKES, BIKES].map((vector) => aTurn(vector as number[]));
    const scores = cutScores(turns, weights);
    assert.deepEqual(topicStarts(scores, any, least), [3]);
    assert.ok(!topicStarts(scores, (at) => at !== 3, least).includes(3));
  });

  it('cuts one of two neighbouring gaps at most, the deeper one', () => {
    assert.deepEqual(topicStarts([-Infinity, 0, 0, 6, 5, 0, 0, 0, 0], any, 3), [3]);
  });
});

describe('relativeLeast', () => {
  it('follows the scale of the scores, and does not cut a short run at its least alike', () => {
    const scores = [-Infinity, 0, 2, 0, 1, 0, 2, 0, 0, 0];
    const higher = scores.map((score) => score + 3);
    assert.ok(relativeLeast(higher, any) > relativeLeast(scores, any));
    assert.deepEqual(topicStarts([-Infinity, 0, 0.5, 0], any, relativeLeast([-Infinity, 0, 0.5, 0], any)), []);
  });

  it('looks at the gaps only that may open a topic', () => {
    const scores = [-Infinity, 0, 9, 0, 9, 0];
    assert.ok(relativeLeast(scores, (at) => at % 2 === 1) < relativeLeast(scores, any));
  });
});

describe('gapsInDoubt', () => {
  const run = fc.record({
    scores: fc.array(fc.double({ min: -6, max: 6, noNaN: true }), { minLength: 1, maxLength: 14 }),
    attention: fc.array(fc.double({ min: 0.02, max: 4, noNaN: true }), { minLength: 14, maxLength: 14 }),
    answers: fc.array(fc.boolean(), { minLength: 14, maxLength: 14 }),
  });

  it('is all that attention can decide: to read the other gaps too changes no cut', () => {
    fc.assert(
      fc.property(run, ({ scores, attention, answers }) => {
        const mayOpen = (at: number): boolean => answers[at] === true;
        const withAttention = (gaps: readonly number[]): number[] =>
          scores.map((score, at) => {
            const log = gaps.includes(at) ? Math.log(attention[at] as number) : 0;
            return score - weights.attention * Math.min(ATTENTION_LIMIT, Math.max(-ATTENTION_LIMIT, log));
          });
        const all = scores.map((_, at) => at);
        const doubted = gapsInDoubt(scores, mayOpen, MINILM_CUTS);
        assert.deepEqual(topicStarts(withAttention(doubted), mayOpen, least), topicStarts(withAttention(all), mayOpen, least));
      }),
    );
  });

  it('is nothing for a rule that does not count attention', () => {
    assert.deepEqual(gapsInDoubt([-Infinity, least, least], any, { weights: RELATIVE_WEIGHTS, least }), []);
  });
});

describe('startsBy', () => {
  it('asks for attention once, of the gaps in doubt, and cuts by what it says', async () => {
    const between = [Math.cos(1.5), Math.sin(1.5)];
    const turns = [TEA, TEA, TEA, between, between, between].map((vector) => aTurn(vector as number[], 'one two three'));
    const rule = { weights, least: cutScores(turns, weights)[3] as number };
    const asked: (readonly number[])[] = [];
    const saying = (ratio: number) => (gaps: readonly number[]) => {
      asked.push(gaps);
      return Promise.resolve(new Map(gaps.map((gap) => [gap, ratio])));
    };
    assert.deepEqual(await startsBy(rule, turns, saying(0.5)), [3]);
    assert.deepEqual(await startsBy(rule, turns, saying(2)), []);
    assert.equal(asked.length, 2);
    assert.ok(asked.every((gaps) => gaps.includes(3) && gaps.length < turns.length - 1));
  });
});

describe('cutScores', () => {
  const score = (turns: readonly TurnTrace[], at: number, across?: number): number =>
    cutScores(turns, weights, across === undefined ? undefined : new Map([[at, across]]))[at] as number;

  it('scores a gap before a question higher, and one after a question lower', () => {
    const plain = [aTurn(TEA as number[]), aTurn(TEA as number[])];
    const asking = [aTurn(TEA as number[]), aTurn(TEA as number[], 'one two three?')];
    assert.ok(score(asking, 1) > score(plain, 1));
    assert.ok(score([...asking].reverse(), 1) < score(plain, 1));
  });

  it('scores a gap higher that attention hardly crosses, within a limit', () => {
    const turns = [TEA, TEA, BIKES].map((vector) => aTurn(vector as number[]));
    assert.ok(score(turns, 2, 0.7) > score(turns, 2, 1));
    assert.equal(score(turns, 2, 1), score(turns, 2));
    assert.equal(score(turns, 2, 0.01), score(turns, 2, 0));
    assert.deepEqual(cutScores(turns, weights, new Map([[0, 0.1]])), cutScores(turns, weights));
  });

  it('reads no further back than it says, so that a buffer with so many turns before it is cut as the whole would be', () => {
    const turns = Array.from({ length: 30 }, (_, at) =>
      aTurn([Math.cos(at ** 2), Math.sin(at ** 2)], 'word '.repeat(1 + (at % 5)), { speaker: 'ab'[at % 2] as string }),
    );
    const whole = cutScores(turns, weights);
    const part = cutScores(turns.slice(20 - LOOK_BACK), weights);
    part.slice(LOOK_BACK).forEach((one, at) => assert.ok(Math.abs(one - (whole[20 + at] as number)) < 1e-9));
  });

  it('compares a length with those of the same speaker only', () => {
    const short = aTurn(TEA as number[], 'yes', { speaker: 'b' });
    const turns = [aTurn(TEA as number[]), short, aTurn(TEA as number[]), short, aTurn(TEA as number[])];
    assert.equal(score(turns, 2), score(turns, 3));
  });

  it('stays finite for turns without direction', () => {
    for (const one of cutScores([aTurn([0, 0]), aTurn([0, 0], ''), aTurn([0, 0])], weights).slice(1))
      assert.ok(Number.isFinite(one));
  });
});

describe('windowCosine', () => {
  it('is that of the mean vectors to each side, as far as there are turns', () => {
    assert.equal(windowCosine([TEA, TEA, BIKES] as number[][], 2, 2), 0);
    assert.ok(Math.abs(windowCosine([TEA, BIKES, TEA] as number[][], 1, 3) - Math.SQRT1_2) < 1e-12);
  });
});

describe('attentionCut', () => {
  /** Four pieces, two a turn; each looks at its own turn `inside` and at the other `across`. */
  const pass = (inside: number, across: number, telling = [true, true, true, true]) => {
    const turns = [0, 0, 1, 1];
    const maps = Float32Array.from(turns.flatMap((row) => turns.map((column) => (row === column ? inside : across))));
    return { maps, turns, telling };
  };
  const cut = (one: ReturnType<typeof pass>): number => attentionCut(one, 1, diagonalMeans(one));

  it('is one where attention does not care for the border, and lower where it stays inside', () => {
    assert.ok(Math.abs(cut(pass(0.25, 0.25)) - 1) < 1e-6);
    assert.ok(cut(pass(0.4, 0.1)) < cut(pass(0.3, 0.2)));
    assert.ok(cut(pass(0.3, 0.2)) < 1);
  });

  it('says nothing where a turn has no telling word', () => {
    assert.equal(cut(pass(0.4, 0.1, [true, true, false, false])), 1);
  });
});

describe('passesOver', () => {
  it('reads two turns to each side, once for gaps that are near', () => {
    const sizes = Array.from({ length: 12 }, () => 10);
    assert.deepEqual(passesOver(sizes, [1, 3, 9], 100), [
      { from: 0, to: 5, gaps: [1, 3] },
      { from: 7, to: 11, gaps: [9] },
    ]);
    assert.deepEqual(passesOver(sizes, [], 100), []);
  });

  it('has each gap in one pass between its two neighbours, and never fills a pass beyond the most', () => {
    const cases = fc.record({
      sizes: fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 2, maxLength: 20 }),
      wanted: fc.array(fc.boolean(), { minLength: 20, maxLength: 20 }),
    });
    fc.assert(
      fc.property(cases, ({ sizes, wanted }) => {
        const gaps = sizes.flatMap((_, at) => (at > 0 && wanted[at] === true ? [at] : []));
        const passes = passesOver(sizes, gaps, 100);
        assert.deepEqual(
          passes.flatMap((pass) => pass.gaps),
          gaps,
        );
        for (const { from, to, gaps: own } of passes) {
          assert.ok(sizes.slice(from, to).reduce((sum, size) => sum + size, 0) <= 100);
          assert.ok(from >= 0 && to <= sizes.length && own.every((gap) => gap > from && gap < to));
        }
      }),
    );
  });
});
