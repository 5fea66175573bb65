import assert from 'node:assert/strict';

import fc from 'fast-check';

import { joinKept, keepBest, ranksOf, unitsOf, windowsOf } from '../../src/domain/compression.js';
import { mustKeep } from '../../src/domain/must-keep.js';

const all = (count: number): boolean[] => Array.from({ length: count }, () => true);
const kept = (text: string): string[] => {
  const units = unitsOf(text);
  const keep = mustKeep(units);
  return units.filter((_, at) => keep[at]).map((unit) => unit.text);
};

describe('unitsOf and joinKept', () => {
  it('give the text again when all is kept, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const units = unitsOf(text);
        assert.equal(joinKept(units, all(units.length)), text.trimEnd());
      }),
    );
  });

  it('give well-formed text made of whole units in their order, whatever is kept', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.infiniteStream(fc.boolean()), (raw, coins) => {
        const units = unitsOf(raw.toWellFormed());
        const keep = units.map(() => coins.next().value as boolean);
        const text = joinKept(units, keep);
        assert.ok(text.isWellFormed());
        const bare = (some: readonly { text: string }[]): string => some.map((unit) => unit.text).join('');
        assert.equal(text.replace(/\s/gu, ''), bare(units.filter((_, at) => keep[at])));
      }),
    );
  });

  it('take words apart where a script writes several without a space', () => {
    assert.ok(unitsOf('我昨天在杭州西湖').length > 3);
  });
});

describe('mustKeep', () => {
  const cases: readonly (readonly [string, string, readonly string[]])[] = [
    ['negations, with what they negate', 'we do not like it, never eat there', ['not', 'like', 'never', 'eat']],
    ['negations inside a compound', 'it was a not-so-great trip', ['not-so-great', 'trip']],
    ['contracted negations', 'she didn’t say and i can’t tell', ['didn’t', 'say', 'can’t', 'tell']],
    ['exceptions', 'everything except the nuts, unless asked', ['except', 'unless', 'asked']],
    ['numbers with what they count', 'it is 0.25 mg and three cats', ['0.25', 'mg', 'three', 'cats']],
    ['sums and shares', 'it cost $5 or so, about 30% more', ['$5', '30%', 'more']],
    [
      'identifiers',
      'see B7K-4821-XQ or me@example.org or snake_case or NASA or https://a.b/c',
      ['B7K-4821-XQ', 'me@example.org', 'snake_case', 'NASA', 'https://a.b/c'],
    ],
    [
      'dates',
      'on 3 May or last week or two weeks ago or yesterday',
      ['3', 'May', 'last', 'week', 'two', 'weeks', 'ago', 'yesterday'],
    ],
    ['quotations', 'i read “the long way” and "it is" there', ['“the', 'long', 'way”', '"it', 'is"']],
    ['names, inside a sentence and before it', 'Melanie went with Dr. Ruiz to the sea. Wow', ['Melanie', 'Dr.', 'Ruiz']],
    ['negations and numbers in Chinese', '没有三个', ['没有', '三', '个']],
  ];
  for (const [what, text, words] of cases) it(`keeps ${what}`, () => assert.deepEqual(kept(text), words));

  it('keeps no word of talk that says none of these', () => {
    assert.deepEqual(kept('Yeah, that sounds like a lovely way to spend the day, I think. So happy for you!'), []);
  });

  it('takes an apostrophe for no quotation', () => {
    assert.deepEqual(kept("the dogs' bowls and it's the neighbours' cats"), []);
  });
});

describe('keepBest', () => {
  const weighing = { scores: [0.1, 0.9, 0.5, 0.7], tokens: [1, 1, 1, 1], kept: [false, false, false, false], telling: all(4) };

  it('keeps the best until the share is reached', () => {
    assert.deepEqual(keepBest(weighing, 0.5), [false, true, false, true]);
  });

  it('keeps what must stay first, and over the share if need be', () => {
    assert.deepEqual(keepBest({ ...weighing, kept: [true, false, false, false] }, 0.5), [true, true, false, false]);
    assert.deepEqual(keepBest({ ...weighing, kept: all(4) }, 0.5), all(4));
  });

  it('comes as near to the share as whole words can', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
        fc.double({ min: 0.05, max: 1, noNaN: true }),
        (tokens, share) => {
          const keep = keepBest(
            { scores: tokens.map((_, at) => at), tokens, kept: tokens.map(() => false), telling: all(tokens.length) },
            share,
          );
          const total = tokens.reduce((sum, count) => sum + count, 0);
          const have = tokens.reduce((sum, count, at) => (keep[at] ? sum + count : sum), 0);
          assert.ok(Math.abs(have - share * total) <= Math.max(...tokens) / 2 + 1e-9);
        },
      ),
    );
  });
});

describe('ranksOf', () => {
  it('goes from 0 to 1, and gives equals the same rank', () => {
    assert.deepEqual(ranksOf([5, 1, 3]), [1, 0, 0.5]);
    assert.deepEqual(ranksOf([2, 2, 7]), [0.25, 0.25, 1]);
    assert.deepEqual(ranksOf([4]), [1]);
  });
});

describe('windowsOf', () => {
  it('covers all in order, and holds no more than asked unless one element does', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 30 })), fc.integer({ min: 1, max: 40 }), (sizes, most) => {
        const windows = windowsOf(sizes, most);
        assert.deepEqual(
          windows.flatMap(([from, to]) => sizes.slice(from, to)),
          sizes,
        );
        for (const [from, to] of windows) {
          const filled = sizes.slice(from, to).reduce((sum, size) => sum + size, 0);
          assert.ok(filled <= most || to - from === 1);
        }
      }),
    );
  });
});
