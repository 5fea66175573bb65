import assert from 'node:assert/strict';

import fc from 'fast-check';

import { dot, unit } from '../../src/domain/vector.js';

const number = fc.double({ min: -1e3, max: 1e3, noNaN: true });
const vector = fc.array(number, { minLength: 1, maxLength: 16 });

describe('dot', () => {
  it('sums the products', () => assert.equal(dot([1, 2, 3], new Float32Array([4, 5, 6])), 32));

  it('refuses vectors of different lengths', () => assert.throws(() => dot([1], [1, 2]), RangeError));
});

describe('unit', () => {
  it('has length 1 and the same direction', () => {
    fc.assert(
      fc.property(vector, (given) => {
        fc.pre(dot(given, given) > 1e-6);
        const made = unit(given);
        assert.ok(Math.abs(dot(made, made) - 1) < 1e-9);
        assert.ok(Math.abs(dot(made, given) - Math.sqrt(dot(given, given))) < 1e-6 * (1 + Math.sqrt(dot(given, given))));
      }),
    );
  });

  it('leaves a vector that points nowhere as it is, without NaN', () => assert.deepEqual(unit([0, 0]), [0, 0]));
});
