import assert from 'node:assert/strict';

import fc from 'fast-check';

import { EngraphError } from '../../src/domain/failure.js';
import { checkSpace, keyOf } from '../../src/domain/space.js';

describe('checkSpace', () => {
  for (const name of [
    'ann',
    'ann-lee',
    'ann:lee',
    "o'mira",
    'a/b',
    'a%2Fb',
    '用户1',
    ' ',
    '🔥'.repeat(256),
    'x'.repeat(256),
    '(a OR b)*',
    '--',
    '\\',
  ]) {
    it(`takes ${name.length > 20 ? `${name.slice(0, 2)}… of ${name.length} code units` : JSON.stringify(name)} as it is`, () =>
      assert.equal(checkSpace(name), name));
  }

  for (const [wrong, says] of [
    ['', /has 0/u],
    ['x'.repeat(300), /1 to 256 characters, this one has 300/u],
    ['用'.repeat(257), /has 257/u],
    ['a\u0000b', /control characters/u],
    ['a\nb', /control characters/u],
    ['a\u0085b', /control characters/u],
    ['a\u2028b', /control characters/u],
    ['\ud83d', /broken Unicode/u],
    [undefined, /not a value of type undefined/u],
    [null, /not null/u],
    [['ann'], /not a list/u],
    [7, /not a value of type number/u],
  ] as const) {
    it(`refuses ${JSON.stringify(wrong)?.slice(0, 20)} and says why`, () => {
      assert.throws(
        () => checkSpace(wrong),
        (error) => error instanceof EngraphError && error.kind === 'bad_space' && says.test(error.message),
      );
    });
  }
});

describe('keyOf', () => {
  it('is the percent-encoded name where that is short, else its hash', () => {
    assert.equal(keyOf('ann-lee'), 'ann-lee');
    assert.equal(keyOf('a/b'), 'a%2Fb');
    assert.equal(keyOf('x'.repeat(60)), 'x'.repeat(60));
    assert.match(keyOf('x'.repeat(61)), /^[0-9a-f]{64}$/u);
  });

  it('has at most 64 bytes of ASCII without a slash', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 256 }), (name) =>
        assert.match(keyOf(name), /^[\x21-\x2e\x30-\x7e]{0,64}$/u),
      ),
    );
  });

  it('tells apart all names that differ, also those that look like another’s key', () => {
    const name = fc.string({ unit: 'grapheme', maxLength: 80 });
    fc.assert(fc.property(name, name, (one, other) => assert.equal(keyOf(one) === keyOf(other), one === other)));
    fc.assert(fc.property(name, (one) => assert.ok(keyOf(keyOf(one)) !== keyOf(one) || keyOf(one) === one)));
  });
});
