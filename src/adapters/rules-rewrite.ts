import type { ReshapeInput, ReshapeReply } from '../prompts/inputs.js';
import { contentWords } from './rules-question.js';
import { covered } from './rules-text.js';

/** Share of the wanted words that a line must have, measured against the best line, to stay in a finer memory. */
const KEEP_FROM = 0.5;

/**
 * Rewrites a memory without inventing a word. Coarser: the text between its neighbours. Finer: the lines that bear on the
 * instruction and the feedback, with the headings they stand under; the whole text where no line does.
 */
export function rewrite(input: ReshapeInput): ReshapeReply {
  if (input.direction === 'coarser') {
    return {
      text: [input.before, input.text, input.after]
        .map((part) => part.trim())
        .filter((part) => part !== '')
        .join('\n'),
    };
  }
  const wanted = contentWords(`${input.instruction} ${input.feedback}`);
  const lines = input.text.split('\n');
  const shares = lines.map((line) => covered(wanted, line));
  const best = Math.max(...shares);
  if (best === 0) return { text: input.text };
  const kept = new Set<number>();
  lines.forEach((_, at) => {
    if ((shares[at] ?? 0) < best * KEEP_FROM) return;
    kept.add(at);
    const heading = lines.findLastIndex((line, index) => index < at && /^\s{0,3}#{1,6}\s/u.test(line));
    if (heading >= 0) kept.add(heading);
  });
  return { text: lines.filter((_, at) => kept.has(at)).join('\n') };
}
