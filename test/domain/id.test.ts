import assert from 'node:assert/strict';

import fc from 'fast-check';

import { hashOf, idOf } from '../../src/domain/id.js';

describe('idOf', () => {
  // Ids are in stores: were one of these to change, every stored node would be another one.
  for (const [what, parts, id] of [
    ['no parts', [], '0e83d0b5-18c9-5f52-aa21-123adff4a837'],
    ['an empty part', [''], '0a1da3b7-03a0-5451-a4ac-caa4471f39e3'],
    ['a letter', ['a'], '2c4bb314-23a4-5179-9aa2-6c4eea7b91fe'],
    ['a name and a number', ['node', 1], '5ddcc96d-1c4e-5a8e-b203-300d1838decc'],
    ['other scripts', ['用户', '🔥'], 'f1780cd5-7f03-568f-83ae-7b2da1c3ec6e'],
  ] as const) {
    it(`gives ${what} the id it has always had`, () => assert.equal(idOf(...parts), id));
  }

  it('is a version 5 UUID of the RFC’s variant', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.integer())), (parts) => {
        assert.match(idOf(...parts), /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u);
      }),
    );
  });

  it('tells apart keys that differ only in where their parts end', () => {
    const parts = fc.array(fc.oneof(fc.string(), fc.constantFrom('', '1:', '1:a', ':', '2', 'a', 'ab', 'b')), { maxLength: 5 });
    fc.assert(
      fc.property(parts, parts, (one, other) => {
        assert.equal(idOf(...one) === idOf(...other), JSON.stringify(one) === JSON.stringify(other));
      }),
      { numRuns: 500 },
    );
    assert.notEqual(idOf('a', 'bc'), idOf('ab', 'c'));
    assert.notEqual(idOf('a'), idOf('a', ''));
  });

  it('takes a number for its decimal text', () => assert.equal(idOf('node', 12), idOf('node', '12')));
});

describe('hashOf', () => {
  it('is SHA-256 in hex of the UTF-8 bytes', () => {
    assert.equal(hashOf(''), 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    assert.equal(hashOf('a'), 'ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb');
  });

  it('takes a lone surrogate for the replacement character', () => assert.equal(hashOf('\ud83d'), hashOf('\ufffd')));
});
