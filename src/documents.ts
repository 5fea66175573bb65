import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, normalize, resolve } from 'node:path';

import { readPdf } from './adapters/pdfjs.js';
import { EngraphError } from './domain/failure.js';

/** A document as read: its text, and the name under which its chunks are found. */
export interface ReadDocument {
  readonly text: string;
  readonly title: string;
}

const TEXT_ENDINGS = ['.md', '.markdown', '.txt'];
const NAMED = /^(?:readme|changelog|changes|history|licen[cs]e|notice|contributing|authors)$/iu;

/** Larger files are no documents that a person wrote; embedding one would take hours. */
const MOST_BYTES = 32 * 1024 * 1024;

/**
 * The documents in these files and folders: Markdown, plain text and PDF by their endings, and README, CHANGELOG, LICENSE and
 * the like without one. Folders are gone through to the bottom except `node_modules`, hidden and linked folders in them. Each
 * file once, sorted by path, as paths that begin as they were given. A path that is not there is `not_found`; a file that is
 * named itself but is of no kind that can be read is `validation`.
 */
export async function findDocuments(paths: readonly string[]): Promise<string[]> {
  const found = new Map<string, string>();
  for (const path of paths) {
    const files = (await kindOf(path)) === 'folder' ? await documentsIn(path) : [readable(path)];
    // `docs` and `./docs` are one folder: a document must not be learned twice under two spellings of its name.
    for (const file of files) if (!found.has(resolve(file))) found.set(resolve(file), normalize(file));
  }
  return [...found.values()].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}

/**
 * Reads one document. Its title is the PDF's own, else its folder and file name, so that a package's README bears the package's
 * name. Fails with `not_found`, `too_large`, or `validation` for what is empty, not text, or of no kind that can be read.
 */
export async function readDocument(path: string): Promise<ReadDocument> {
  readable(path);
  if ((await kindOf(path)) === 'folder') throw invalid(`${path} is a folder; name its files, or find them first`);
  const { size } = await stat(path);
  if (size > MOST_BYTES) {
    throw new EngraphError('too_large', `${path} has ${size} bytes; a document has at most ${MOST_BYTES}`, {
      details: { path, size },
    });
  }
  const bytes = await reading(path, async () => await readFile(path));
  const isPdf = extname(path).toLowerCase() === '.pdf';
  const { text, title = titleOf(path) } = isPdf ? await readPdf(bytes, path) : { text: decoded(bytes, path) };
  if (text.trim() === '') throw invalid(isPdf ? `${path} has no text; it may be made of pictures` : `${path} is empty`);
  return { text, title };
}

async function documentsIn(folder: string): Promise<string[]> {
  const entries = await reading(folder, async () => await readdir(folder, { withFileTypes: true }));
  const files: string[] = [];
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
    if (entry.isDirectory()) files.push(...(await documentsIn(path)));
    else if (entry.isFile() && isDocument(path)) files.push(path);
  }
  return files;
}

function isDocument(path: string): boolean {
  const ending = extname(path).toLowerCase();
  return ending === '' ? NAMED.test(basename(path)) : ending === '.pdf' || TEXT_ENDINGS.includes(ending);
}

function readable(path: string): string {
  if (isDocument(path)) return path;
  throw invalid(`${path} is of no kind that can be learned: ${TEXT_ENDINGS.join(', ')}, .pdf, or a README, CHANGELOG or LICENSE`);
}

async function kindOf(path: string): Promise<'file' | 'folder'> {
  const stats = await reading(path, async () => await stat(path));
  if (stats.isDirectory()) return 'folder';
  if (stats.isFile()) return 'file';
  throw invalid(`${path} is neither a file nor a folder`);
}

async function reading<T>(path: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    if (code === 'ENOENT' || code === 'ENOTDIR')
      throw new EngraphError('not_found', `there is no ${path}`, { cause: error, details: { path } });
    throw new EngraphError('validation', `${path} cannot be read: ${code}`, { cause: error, details: { path, code } });
  }
}

/** UTF-8, or UTF-16 where its mark says so. A file with a zero byte, or with bytes that are no UTF-8, is not text. */
function decoded(bytes: Uint8Array, path: string): string {
  const [first, second] = bytes;
  const wide = first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
  if (wide === undefined && bytes.includes(0)) throw invalid(`${path} is not text: it has zero bytes`);
  try {
    return new TextDecoder(wide ?? 'utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new EngraphError('validation', `${path} is not UTF-8 text; convert it first`, { cause: error, details: { path } });
  }
}

/** The file's name after its folder's, and its folder's scope where that is a package's: `@temporalio/client/README.md`. */
function titleOf(path: string): string {
  const folder = basename(dirname(path));
  const scope = basename(dirname(dirname(path)));
  const parts = [
    ...(scope.startsWith('@') ? [scope] : []),
    ...(folder === '' || folder === '.' || folder === '..' ? [] : [folder]),
    basename(path),
  ];
  return parts.join('/');
}

const invalid = (message: string): EngraphError => new EngraphError('validation', message);
