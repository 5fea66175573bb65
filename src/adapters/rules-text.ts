import { wordsOf } from '../domain/words.js';

/** A piece of a memory that is judged as one: a line or sentence, with the heading it stands under. */
export interface Passage {
  readonly text: string;
  /** The nearest heading above it in the same memory; empty where the memory does not show one. */
  readonly heading: string;
  readonly isHeading: boolean;
  /** For a heading, everything under it up to the next; else the paragraph that the passage stands in. */
  readonly around: string;
}

const ATX = /^\s{0,3}#{1,6}\s+\S/u;
const UNDERLINE = /^\s*(?:={3,}|-{3,})\s*$/u;
/** A line that names a release and little else, as change logs without markup have it. */
const RELEASE_LINE = /^(?:version\s+)?v?\d+\.\d+(?:\.\d+)?\S*(?:\s*[/(–—-]\s*.{0,24})?$/iu;

/** A memory's passages in their order. Link targets, images and tags are taken out first: they are addresses, not words. */
export function passagesOf(text: string): Passage[] {
  const lines = readable(text).split('\n');
  const passages: Passage[] = [];
  let heading = '';
  lines.forEach((line, at) => {
    if (line.trim() === '' || UNDERLINE.test(line)) return;
    if (isHeading(line, lines[at + 1])) {
      heading = line.trim();
      passages.push({ text: heading, heading: '', isHeading: true, around: sectionUnder(lines, at) });
      return;
    }
    const around = paragraphAt(lines, at);
    for (const sentence of sentencesOf(line)) passages.push({ text: sentence, heading, isHeading: false, around });
  });
  return passages;
}

/** Markdown as a reader sees it: a link by its label, no images, tags, comments or reference definitions. */
export function readable(text: string): string {
  return withoutImages(text)
    .replace(/<!--[\s\S]*?-->/gu, '')
    .replace(/\[([^\]]*)\](?:\([^)\n]*\)|\[[^\]]*\])/gu, '$1')
    .replace(/^\s{0,3}\[[^\]]+\]:\s+\S+.*$/gmu, '')
    .replace(/<\/?[a-z][^>\n]*>/giu, ' ');
}

/** A text without Markdown images, whose addresses answer no question. */
export const withoutImages = (text: string): string => text.replace(/!\[[^\]]*\](?:\([^)\s]*\)|\[[^\]]*\])/gu, '');

/** Share of the wanted words that the text has, 0 to 1; 0 where nothing is wanted. */
export function covered(wanted: readonly string[], text: string): number {
  if (wanted.length === 0) return 0;
  const has = wordSet(text);
  return wanted.filter((word) => has.has(word)).length / wanted.length;
}

/** Texts whose words are remembered: those of one prompt come again for each of its passages. */
const MOST_REMEMBERED = 2_000;
const remembered = new Map<string, ReadonlySet<string>>();

function wordSet(text: string): ReadonlySet<string> {
  const known = remembered.get(text);
  if (known !== undefined) return known;
  if (remembered.size >= MOST_REMEMBERED) remembered.clear();
  const words = new Set(wordsOf(text));
  remembered.set(text, words);
  return words;
}

/** Whether a text names a subject: has every word of it, the parts of an identifier counting each. */
export function names(text: string, subject: string): boolean {
  const words = [...new Set(wordsOf(subject))];
  const parts = words.filter((word) => /^[\p{L}\p{N}]+$/u.test(word));
  const wanted = parts.length > 0 ? parts : words;
  return wanted.length > 0 && covered(wanted, text) === 1;
}

function isHeading(line: string, next: string | undefined): boolean {
  return ATX.test(line) || RELEASE_LINE.test(line.trim()) || (next !== undefined && /^\s*={3,}\s*$/u.test(next));
}

function sectionUnder(lines: readonly string[], at: number): string {
  const end = lines.findIndex(
    (line, index) => index > at && isHeading(line, lines[index + 1]) && level(line) <= level(lines[at] ?? ''),
  );
  return lines.slice(at, end < 0 ? lines.length : end).join('\n');
}

const level = (line: string): number => /^\s{0,3}(#{1,6})\s/u.exec(line)?.[1]?.length ?? 2;

function paragraphAt(lines: readonly string[], at: number): string {
  let start = at;
  let end = at + 1;
  while (start > 0 && (lines[start - 1] ?? '').trim() !== '') start -= 1;
  while (end < lines.length && (lines[end] ?? '').trim() !== '') end += 1;
  return lines.slice(start, end).join('\n');
}

function sentencesOf(line: string): string[] {
  return Array.from(new Intl.Segmenter('en', { granularity: 'sentence' }).segment(line), ({ segment }) => segment.trim()).filter(
    (sentence) => sentence !== '',
  );
}
