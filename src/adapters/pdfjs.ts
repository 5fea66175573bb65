import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

import { EngraphError } from '../domain/failure.js';

/** A gap between lines that is this many times the letters' height starts a paragraph. */
const PARAGRAPH_GAP = 1.7;

/** The text of a PDF, paragraphs parted by blank lines, and the title that it gives itself. */
export interface PdfText {
  readonly text: string;
  readonly title?: string;
}

/**
 * Reads a PDF's text in the order in which the file has it; pictures, and text in pictures, are not read. Runs no script of the
 * file and fetches nothing. `name` is for the message: fails with `validation` for what is no PDF or needs a password.
 */
export async function readPdf(data: Uint8Array, name: string): Promise<PdfText> {
  // It takes a while to load: only who reads a PDF waits for it.
  const { getDocument, VerbosityLevel } = await import('pdfjs-dist/legacy/build/pdf.mjs');
  const folder = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));
  const task = getDocument({
    data: Uint8Array.from(data), // pdf.js takes the array away from its owner
    cMapUrl: join(folder, 'cmaps/'),
    standardFontDataUrl: join(folder, 'standard_fonts/'),
    isEvalSupported: false,
    disableFontFace: true,
    useSystemFonts: false,
    verbosity: VerbosityLevel.ERRORS,
  });
  try {
    const pdf = await task.promise;
    const pages: string[] = [];
    for (let number = 1; number <= pdf.numPages; number++) {
      const page = await pdf.getPage(number);
      const { items } = await page.getTextContent();
      pages.push(paragraphs(items.filter((item) => 'str' in item)));
      page.cleanup();
    }
    const { info } = await pdf.getMetadata();
    const title = (info as { Title?: unknown }).Title;
    const text = pages.filter((page) => page !== '').join('\n\n');
    return typeof title === 'string' && title.trim() !== '' ? { text, title: title.trim() } : { text };
  } catch (error) {
    const why = error instanceof Error && error.name === 'PasswordException' ? 'needs a password' : 'cannot be read as a PDF';
    throw new EngraphError('validation', `${name} ${why}`, { cause: error });
  } finally {
    await task.destroy();
  }
}

interface Item {
  readonly str: string;
  readonly hasEOL: boolean;
  readonly height: number;
  readonly transform: readonly number[];
}

function paragraphs(items: readonly Item[]): string {
  let text = '';
  let before: Item | undefined;
  for (const item of items) {
    if (before && item.str !== '') {
      const gap = Math.abs((before.transform[5] ?? 0) - (item.transform[5] ?? 0));
      if (gap > PARAGRAPH_GAP * Math.max(item.height, before.height, 1) && !text.endsWith('\n\n')) text = `${text.trimEnd()}\n\n`;
    }
    text += item.str;
    if (item.hasEOL && !text.endsWith('\n')) text += '\n';
    if (item.str !== '') before = item;
  }
  return text.trim();
}
