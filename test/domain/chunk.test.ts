import assert from 'node:assert/strict';

import fc from 'fast-check';

import { chunkText } from '../../src/domain/chunk.js';

const bare = (text: string): string => text.replace(/\s+/gu, '');
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const paragraph = (n: number): string => `Paragraph ${n} speaks of item ${n * 7} and of what follows from it.`;

/** Text with all that makes cutting hard: blanks, headings, long words, emoji with joiners, lone surrogates. */
const anyText = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 80 }),
      fc.string({ unit: 'grapheme', maxLength: 80 }),
      fc.constantFrom(
        '\n',
        '\n\n',
        '\r\n\r\n',
        '# Title\n',
        '```\n',
        ' ',
        'One sentence. Another one! ',
        '👩‍👩‍👧‍👦',
        '用户对花生过敏。',
        'x'.repeat(90),
      ),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''));

describe('chunkText', () => {
  it('covers all that is not blank, once and in order, with slices of the text', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 200 }), (text, characters) => {
        const chunks = chunkText(text, { characters });
        assert.equal(bare(chunks.map((chunk) => chunk.text).join('')), bare(text));
        let from = 0;
        for (const chunk of chunks) {
          assert.ok(chunk.start >= from && chunk.end > chunk.start);
          assert.equal(chunk.text, text.slice(chunk.start, chunk.end));
          from = chunk.end;
        }
      }),
    );
  });

  it('makes no chunk longer than asked, except of a single grapheme that is', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 200 }), (text, characters) => {
        for (const chunk of chunkText(text, { characters })) {
          if (chunk.text.length > characters) assert.equal([...graphemes.segment(chunk.text)].length, 1);
        }
      }),
    );
  });

  it('never cuts a character in two, wherever the limit falls', () => {
    for (const before of ['', 'x', 'xx', 'xxx']) {
      for (const chunk of chunkText(before + 'ab🔥'.repeat(3000))) assert.ok(chunk.text.isWellFormed());
      for (const chunk of chunkText(before + '👩‍👩‍👧‍👦'.repeat(300))) assert.match(chunk.text, /^x*(?:👩‍👩‍👧‍👦)+$/u);
    }
  });

  it('cuts at the ends of paragraphs before those of sentences, and of sentences before words', () => {
    const long = Array.from({ length: 12 }, (_, n) => `Sentence ${n} of a paragraph that is too long for one chunk.`).join(' ');
    for (const { text } of chunkText(`${paragraph(1)}\n\n${long}\n\n${paragraph(2)}`, { characters: 200 }))
      assert.match(text, /\.$/u);
    for (const { text } of chunkText('word '.repeat(100), { characters: 33 })) assert.match(text, /^word(?: word)*$/u);
  });

  it('keeps a heading with what follows it', () => {
    const text = Array.from({ length: 30 }, (_, n) => `## Heading ${n}\n\n${paragraph(n)} ${paragraph(n + 100)}`).join('\n\n');
    for (const chunk of chunkText(text, { characters: 160 })) assert.doesNotMatch(chunk.text, /## Heading \d+$/u);
    assert.equal(chunkText('1.2.3 / 2026-01-01\n==================\n\n * fixed', { characters: 60 }).length, 1);
  });

  it('takes a number sign in a fenced block for what it is', () => {
    const fenced = `\`\`\`sh\n# a comment\n\n${'npm ci\n'.repeat(8)}\`\`\``;
    assert.deepEqual(chunkText(`${paragraph(1)}\n\n${fenced}`, { characters: 100 }).at(-1)?.text, fenced);
  });

  it('gives no chunk for blank text', () => {
    for (const text of ['', ' ', '\n\n\t\r\n', '\u00a0']) assert.deepEqual(chunkText(text), []);
  });

  it('keeps most chunks where a sentence is put in, taken out or changed', () => {
    const paragraphs = Array.from({ length: 200 }, (_, n) => paragraph(n));
    const before = new Set(chunkText(paragraphs.join('\n\n')).map(({ text }) => text));
    const counts = [0, 50, 101, 199].flatMap((at) =>
      [[], ['Something new stands here.'], [paragraph(at), 'An addition.']].map((change) => {
        const after = chunkText(paragraphs.toSpliced(at, 1, ...change).join('\n\n'));
        return after.filter(({ text }) => !before.has(text)).length;
      }),
    );
    const most = Math.max(...counts);
    assert.ok(most < before.size / 3, `${most} of ${before.size} chunks are new`);
    assert.ok(counts.reduce((sum, count) => sum + count, 0) / counts.length < before.size / 8, `new: ${counts.join(', ')}`);
  });
});
