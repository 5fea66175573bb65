import { wordsOf } from './words.js';

/** A block of `serialiseContext`, whole; a section that was cut off loses at least its whole memories. */
const CONTEXT =
  /<(semantic|episodic|procedural)_memory>[\s\S]*?<\/\1_memory>|<(?:semantic|episodic|procedural)_memory\/>|<memory n="\d+" id="[^"]*" from="[^"]*">[^<]*<\/memory>/gu;

const NEGATION = /\b(?:no|not|never|none|nobody|nothing|nowhere|neither|nor|without|cannot)\b|n['’]t\b/giu;

/** Fewer telling words than this are in some memory by chance. */
const FEWEST_WORDS = 2;

/** A turn without the serialised context that somebody put into it: recalled memory is not said anew. */
export const withoutContext = (text: string): string => text.replace(CONTEXT, '').trim();

/**
 * Whether a statement only repeats a memory: its telling words (stemmed, stop words left out) stand in the memory one after the
 * other, and both deny as often, so that "is allergic" does not repeat "is not allergic". "Mira keeps two ferrets" repeats
 * "Mira: I keep two ferrets."
 */
export function repeats(statement: string, memory: string): boolean {
  const words = wordsOf(statement);
  if (words.length < FEWEST_WORDS || denials(statement) !== denials(memory)) return false;
  const said = wordsOf(memory);
  return said.some((_, at) => words.every((word, index) => said[at + index] === word));
}

const denials = (text: string): number => [...text.matchAll(NEGATION)].length;
