import assert from 'node:assert/strict';

import fc from 'fast-check';

import { MlKMeans } from '../../src/adapters/ml-kmeans.js';
import { clustersFor, clustersOf, middleOf, type Placed } from '../../src/domain/clustering.js';
import { unit } from '../../src/domain/vector.js';

const kmeans = new MlKMeans();
const cluster = (points: readonly Placed[], numClusters?: number): string[][] =>
  clustersOf(points, (some, k) => kmeans.cut(some, k), numClusters);
const at = (id: string, ...vector: number[]): Placed => ({ id, vector: unit(vector) });

describe('clusters of episodes', () => {
  it('are none of no points and one of one', () => {
    assert.deepEqual(cluster([]), []);
    assert.deepEqual(cluster([], 5), []);
    assert.deepEqual(cluster([at('a', 1, 0)]), [['a']]);
    assert.deepEqual(cluster([at('a', 1, 0)], 8), [['a']]);
  });

  it('are one where all points are in one place, however many are asked for', () => {
    const points = ['d', 'b', 'a', 'c'].map((id) => at(id, 1, 2, 3));
    for (const numClusters of [undefined, 1, 3, 9]) assert.deepEqual(cluster(points, numClusters), [['a', 'b', 'c', 'd']]);
  });

  it('are no more than there are places', () => {
    const points = [at('a', 1, 0), at('b', 0, 1), at('c', 1, 1), at('d', 1, 0)];
    assert.deepEqual(cluster(points, 8), [['a', 'd'], ['b'], ['c']]);
  });

  it('are as many as asked for', () => {
    const points = Array.from({ length: 12 }, (_, n) => at(`p${n}`, Math.cos(n / 2), Math.sin(n / 2)));
    for (const k of [1, 2, 5]) assert.equal(cluster(points, k).length, k);
  });

  it('go by kind where no number is given: few episodes of two kinds are two, many of one kind are one', () => {
    const two = ['a', 'b', 'c', 'd', 'e', 'f'].map((id, n) => at(id, n % 2, 1 - (n % 2), n / 40));
    assert.equal(clustersFor(two.length), 1);
    assert.deepEqual(cluster(two), [
      ['a', 'c', 'e'],
      ['b', 'd', 'f'],
    ]);
    const one = Array.from({ length: 50 }, (_, n) => at(`p${n}`, 1, n / 500, (n % 7) / 90));
    assert.equal(clustersFor(one.length), 5);
    assert.equal(cluster(one).length, 1);
  });

  it('take opposed points for two kinds', () => {
    assert.deepEqual(cluster([at('a', 1, 0), at('b', -1, 0)]), [['a'], ['b']]);
  });

  it('hold each point in exactly one, the same for any order, whatever the points', () => {
    const vector = fc.array(fc.integer({ min: -2, max: 2 }), { minLength: 3, maxLength: 3 });
    const points = fc
      .array(vector, { maxLength: 14 })
      .map((all) => all.map((one, n) => at(`p${String(n).padStart(2, '0')}`, ...one)));
    fc.assert(
      fc.property(points, fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined }), (some, k) => {
        const clusters = cluster(some, k);
        assert.deepEqual(clusters.flat().sort(), some.map(({ id }) => id).sort());
        assert.ok(clusters.length <= Math.max(some.length, 0) && (k === undefined || clusters.length <= k));
        assert.deepEqual(cluster([...some].reverse(), k), clusters);
      }),
      { numRuns: 150 },
    );
  });
});

describe('the middle of vectors', () => {
  it('is the direction of their mean, without NaN where they cancel each other out', () => {
    assert.deepEqual(
      middleOf([
        [1, 0],
        [1, 0],
      ]),
      [1, 0],
    );
    assert.deepEqual(
      middleOf([
        [1, 0],
        [-1, 0],
      ]),
      [0, 0],
    );
    assert.deepEqual(middleOf([]), []);
  });
});
