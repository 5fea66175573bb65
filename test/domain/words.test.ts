import assert from 'node:assert/strict';

import fc from 'fast-check';

import { countWords, STOP_WORDS, wordsOf } from '../../src/domain/words.js';

const CASES: [string, string, string[]][] = [
  ['stems English words and drops stop words', 'The dogs were running', ['dog', 'run']],
  ['keeps the words of a text that has no others than stop words', 'To be or not to be', ['to', 'be', 'or', 'not', 'to', 'be']],
  ['keeps order and repeats', 'tea milk tea', ['tea', 'milk', 'tea']],
  ['gives a dotted name and its parts', 'express.static', ['express.static', 'express', 'static']],
  ['gives a kebab-case name and its parts', 'kebab-cup', ['kebab-cup', 'kebab', 'cup']],
  ['gives a snake_case name and its parts', 'snake_cup', ['snake_cup', 'snake', 'cup']],
  ['gives a camelCase name and its parts', 'camelCup XMLPart', ['camelcup', 'camel', 'cup', 'xmlpart', 'xml', 'part']],
  ['gives a version with and without its v, and its parts', 'v1.2.3', ['v1.2.3', '1.2.3', '1', '2', '3']],
  ['gives a decimal number and its parts', '0.25', ['0.25', '0', '25']],
  ['leaves the full stop of a sentence out', 'Drink tea. Now!', ['drink', 'tea', 'now']],
  ['cuts the possessive, straight or curly', "Mira's Ann\u2019s", ['mira', 'ann']],
  ['gives a name with an apostrophe and its parts', "O'Mira", ["o'mira", 'o', 'mira']],
  ['takes full-width and ligature forms for the plain ones', 'Ｒｕｓｔ ﬁle', ['rust', 'file']],
  ['takes a run of Han as words and pairs', '花生过敏', ['花生', '生过', '过敏']],
  ['keeps a single Han character', '茶', ['茶']],
  ['splits Latin from Han', '语言是Rust', ['是', '语言', '言是', 'rust']],
  ['takes emoji for words, with or without the variation selector', 'ab🔥 \u2764\ufe0f \u2764', ['ab', '🔥', '\u2764', '\u2764']],
  ['keeps an emoji that is joined of several in one', '👨‍👩‍👧', ['👨‍👩‍👧']],
  ['keeps words that objects have by nature', 'constructor', ['constructor']],
  ['finds nothing in signs', '-- \\ * ( ) " %', []],
  ['finds the words between signs', '(a1 OR b2)* 100%', ['a1', 'b2', '100']],
  ['keeps accents, in lower case', 'Café ÉTÉ', ['café', 'été']],
  ['cuts an endless word', 'x'.repeat(100), ['x'.repeat(64)]],
];

describe('the words of a text', () => {
  for (const [title, text, expected] of CASES) it(title, () => assert.deepEqual(wordsOf(text), expected));

  it('share some between a question and the Chinese text it is about, and none with another', () => {
    const asked = new Set(wordsOf('花生过敏'));
    assert.ok(wordsOf('用户对花生过敏').some((word) => asked.has(word)));
    assert.ok(!wordsOf('用户住在杭州西湖附近').some((word) => asked.has(word)));
  });

  it('are counted without a prototype, so that natural names of objects are words like others', () => {
    const counts = countWords('constructor tea tea toString');
    assert.equal(counts['constructor'], 1);
    assert.equal(counts['tea'], 2);
    assert.equal(countWords('tea')['constructor'], undefined);
    assert.equal(countWords('tea')['__proto__'], undefined);
  });

  it('are the same each time, well-formed, never empty and at most 64 characters, whatever the string', () => {
    const anything = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: 'grapheme' }),
      fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
    );
    fc.assert(
      fc.property(anything, (text) => {
        const words = wordsOf(text);
        assert.deepEqual(wordsOf(text), words);
        for (const word of words) assert.ok(word.length > 0 && word.isWellFormed() && [...word].length <= 64);
        let total = 0;
        for (const count of Object.values(countWords(text))) total += count;
        assert.equal(total, words.length);
      }),
    );
  });

  it('of a text in small letters are all among the words of the text in any case', () => {
    const part = fc.oneof(
      fc.constantFrom(...STOP_WORDS, 'tea', 'ab', 'http'),
      fc.string({ unit: fc.constantFrom(...'abiTHE'), minLength: 1, maxLength: 6 }),
    );
    const ascii = fc.oneof(
      fc.string({ unit: 'grapheme-ascii' }),
      fc.array(part).map((parts) => parts.join(' ')),
    );
    fc.assert(
      fc.property(ascii, (text) => {
        const words = new Set(wordsOf(text));
        for (const word of wordsOf(text.toLowerCase())) assert.ok(words.has(word), `${word} of ${JSON.stringify(text)}`);
        assert.deepEqual(wordsOf(text.toLowerCase()), wordsOf(text.toUpperCase()));
      }),
      { numRuns: 500 },
    );
  });
});
