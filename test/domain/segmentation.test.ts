import assert from 'node:assert/strict';

import { attentionCut, diagonalMeans } from '../../src/domain/attention-cut.js';
import { cutScores, topicStarts, windowCosine, type TurnTrace } from '../../src/domain/segmentation.js';

const [TEA, BIKES] = [
  [1, 0],
  [0, 1],
];
const aTurn = (vector: readonly number[], text = 'one two three', more: Partial<TurnTrace> = {}): TurnTrace => ({
  ...{ vector, text, speaker: 'a', mayOpen: true },
  ...more,
});
const any = (): boolean => true;

describe('topicStarts', () => {
  it('cuts where what is said changes, and nowhere else', () => {
    const turns = [TEA, TEA, TEA, TEA, BIKES, BIKES, BIKES, BIKES].map((vector) => aTurn(vector));
    assert.deepEqual(topicStarts(cutScores(turns), any), [4]);
  });

  it('leaves one topic whole, however short the run', () => {
    for (const count of [0, 1, 2, 3, 12]) {
      const turns = Array.from({ length: count }, () => aTurn(TEA as number[]));
      assert.deepEqual(topicStarts(cutScores(turns), any), []);
    }
  });

  it('starts no topic with a turn that only answers', () => {
    const turns = [TEA, TEA, TEA, BIKES, BIKES, BIKES].map((vector) => aTurn(vector as number[]));
    const scores = cutScores(turns);
    assert.deepEqual(topicStarts(scores, any), [3]);
    assert.ok(!topicStarts(scores, (at) => at !== 3).includes(3));
  });

  it('cuts one of two neighbouring gaps at most, the deeper one', () => {
    assert.deepEqual(topicStarts([-Infinity, 0, 0, 6, 5, 0, 0, 0, 0], any), [3]);
  });

  it('needs more for a cut the higher the threshold', () => {
    const scores = [-Infinity, 0, 2, 0, 3.5, 0, 5, 0, 0, 0];
    const counts = [0, 1, 2, 3].map((threshold) => topicStarts(scores, any, threshold).length);
    assert.deepEqual(
      counts,
      [...counts].sort((a, b) => b - a),
    );
    assert.ok((counts[0] as number) > (counts[3] as number));
  });
});

describe('cutScores', () => {
  const score = (turns: readonly TurnTrace[], at: number, attention?: readonly number[]): number =>
    cutScores(turns, attention)[at] as number;

  it('scores a gap before a question higher, and one after a question lower', () => {
    const plain = [aTurn(TEA as number[]), aTurn(TEA as number[])];
    const asking = [aTurn(TEA as number[]), aTurn(TEA as number[], 'one two three?')];
    assert.ok(score(asking, 1) > score(plain, 1));
    assert.ok(score([...asking].reverse(), 1) < score(plain, 1));
  });

  it('scores a gap higher that attention hardly crosses, and never reads that of the first turn', () => {
    const turns = [TEA, TEA, BIKES].map((vector) => aTurn(vector as number[]));
    assert.ok(score(turns, 2, [1, 1, 0.2]) > score(turns, 2, [1, 1, 1]));
    assert.deepEqual(cutScores(turns, [0, 1, 1]), cutScores(turns, [5, 1, 1]));
  });

  it('compares a length with those of the same speaker only', () => {
    const short = aTurn(TEA as number[], 'yes', { speaker: 'b' });
    const turns = [aTurn(TEA as number[]), short, aTurn(TEA as number[]), short, aTurn(TEA as number[])];
    assert.equal(score(turns, 2), score(turns, 3));
  });

  it('stays finite for turns without direction', () => {
    for (const one of cutScores([aTurn([0, 0]), aTurn([0, 0], ''), aTurn([0, 0])]).slice(1)) assert.ok(Number.isFinite(one));
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
