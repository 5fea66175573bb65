import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { findDocuments, readDocument } from '../src/documents.js';
import { EngraphError } from '../src/domain/failure.js';
import { aPdf } from './support/a-pdf.js';

describe('documents', () => {
  let folder: string;
  const put = async (path: string, content: string | Uint8Array): Promise<string> => {
    const whole = join(folder, path);
    await mkdir(join(whole, '..'), { recursive: true });
    await writeFile(whole, content);
    return whole;
  };
  const failing = async (work: Promise<unknown>, kind: string, words: RegExp): Promise<void> => {
    await assert.rejects(work, (error) => error instanceof EngraphError && error.kind === kind && words.test(error.message));
  };

  beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'engraph-documents-'))));
  afterEach(async () => await rm(folder, { recursive: true, force: true }));

  it('are found in folders to the bottom, each once, in the order of their paths', async () => {
    for (const path of ['b/deep/notes.txt', 'a/README', 'a/LICENSE', 'a/x.MD', 'a/y.markdown', 'z.pdf']) await put(path, 'text');
    for (const path of ['a/code.ts', 'a/data', 'a/.hidden.md', 'node_modules/p/README.md', '.git/notes.md'])
      await put(path, 'text');
    await symlink(folder, join(folder, 'b/loop'));
    const names = (await findDocuments([folder, join(folder, 'z.pdf'), join(folder, 'a')])).map((path) =>
      path.slice(folder.length + 1),
    );
    assert.deepEqual(names, ['a/LICENSE', 'a/README', 'a/x.MD', 'a/y.markdown', 'b/deep/notes.txt', 'z.pdf']);
  });

  it('in node_modules are found where that is what was named', async () => {
    const path = await put('node_modules/p/README.md', 'text');
    assert.deepEqual(await findDocuments([join(folder, 'node_modules/p')]), [path]);
  });

  it('bear the name of their folder, and of the scope above it', async () => {
    assert.equal((await readDocument(await put('@scope/package/README.md', '# Hello'))).title, '@scope/package/README.md');
    assert.equal((await readDocument(await put('package/CHANGELOG', '1.0.0'))).title, 'package/CHANGELOG');
  });

  it('are read code unit for code unit, in UTF-8 with or without a mark and in UTF-16 with one', async () => {
    const text = 'Größe 用户 🔥\r\n\r\nEnd';
    assert.equal((await readDocument(await put('a.md', text))).text, text);
    assert.equal((await readDocument(await put('b.md', `\ufeff${text}`))).text, text);
    assert.equal((await readDocument(await put('c.txt', Buffer.from(`\ufeff${text}`, 'utf16le')))).text, text);
  });

  it('in PDF are read as paragraphs, with the title that they give themselves', async () => {
    const pdf = await put(
      'paper.pdf',
      aPdf({ title: 'On Memory', lines: ['First line of one', 'paragraph.', '', 'Another paragraph.'] }),
    );
    assert.deepEqual(await readDocument(pdf), {
      text: 'First line of one\nparagraph.\n\nAnother paragraph.',
      title: 'On Memory',
    });
    const untitled = await put('papers/other.pdf', aPdf({ lines: ['Words.'] }));
    assert.deepEqual(await readDocument(untitled), { text: 'Words.', title: 'papers/other.pdf' });
  });

  it('that cannot be read say which and why', async () => {
    await failing(readDocument(join(folder, 'none.md')), 'not_found', /none\.md/u);
    await failing(findDocuments([join(folder, 'none')]), 'not_found', /none/u);
    await failing(readDocument(await put('empty.md', ' \n')), 'validation', /empty\.md is empty/u);
    await failing(
      readDocument(await put('latin.txt', Uint8Array.of(0x47, 0x72, 0xf6, 0xdf))),
      'validation',
      /latin\.txt is not UTF-8/u,
    );
    await failing(readDocument(await put('binary.txt', Uint8Array.of(1, 0, 2))), 'validation', /binary\.txt is not text/u);
    await failing(findDocuments([await put('code.ts', 'let a')]), 'validation', /code\.ts is of no kind/u);
    await failing(readDocument(await put('broken.pdf', 'no pdf')), 'validation', /broken\.pdf cannot be read as a PDF/u);
    await failing(readDocument(await put('scan.pdf', aPdf({ lines: [] }))), 'validation', /scan\.pdf has no text/u);
    await mkdir(join(folder, 'folder.md'));
    await failing(readDocument(join(folder, 'folder.md')), 'validation', /folder\.md is a folder/u);
  });
});
