import { hashOf } from './id.js';
import { wordsOf } from './words.js';

/**
 * What tasks of one kind have in common: the words of the instruction, each once, in no order, without numbers. Two instructions
 * that differ in case, punctuation, stop words, endings or amounts have one fingerprint.
 */
export function fingerprintOf(instruction: string): string {
  const words = wordsOf(instruction).filter((word) => !/\p{N}/u.test(word));
  return hashOf([...new Set(words)].sort().join(' ') || instruction.trim());
}
