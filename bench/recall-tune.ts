import { STRUCTURE, type StructureParameters } from '../src/domain/structure.js';
import type { Conversation } from './recall-locomo.js';
import { gain, means, type Found } from './recall-measure.js';
import type { BenchMemory } from './recall-memory.js';

/** What is tried: the defaults, and each part of the structure weaker and stronger by itself. */
const TRIED: readonly StructureParameters[] = [
  {},
  { speaker: 0.2 },
  { speaker: 0.3 },
  { topic: 0.2 },
  { topic: 0.3 },
  { topicBest: 3 },
  { asks: 0.04 },
  { asks: 0.12 },
  { says: 0.04 },
  { says: 0.12 },
  { dense: { before: 0.1, after: 0.1 } },
  { dense: { before: 0.3, after: 0.2 } },
  { bm25: { before: 0.4, after: 0.2 } },
  { bm25: { before: 0.6, after: 0.4 } },
].map((change) => ({ ...STRUCTURE, ...change }));

type Measured = (system: string, conversation: Conversation, lists: readonly (readonly string[])[]) => Found[];

/**
 * Parameters chosen by recall@10 and MRR on all conversations but one, and how they do on that one: a line a conversation, and
 * one for all of them together beside the baseline's results, which are of the same questions in the same order.
 */
export async function leftOut(
  memory: BenchMemory,
  conversations: readonly Conversation[],
  baseline: readonly Found[],
  measured: Measured,
): Promise<string[]> {
  const results: Found[][] = [];
  for (const parameters of TRIED) {
    const found: Found[] = [];
    for (const conversation of conversations) {
      const lists = await memory.ask(conversation, conversation.questions, parameters);
      found.push(...measured('tuned', conversation, lists));
    }
    results.push(found);
  }
  const lines: string[] = [];
  const held: Found[] = [];
  for (const { name } of conversations) {
    const scores = results.map((found) => {
      const { r10 = 0, mrr = 0 } = means(found.filter(({ conversation }) => conversation !== name));
      return r10 + mrr;
    });
    const best = scores.indexOf(Math.max(...scores));
    const own = (results[best] ?? []).filter(({ conversation }) => conversation === name);
    held.push(...own);
    lines.push(`left out ${name}: ${told(own)}, chosen on the others: ${changed(TRIED[best])}`);
  }
  const { mean, low, high } = gain(held, baseline);
  return [...lines, `left out, all together: ${told(held)}; recall@10 ${mean} points above the floor (${low} to ${high})`];
}

function told(found: readonly Found[]): string {
  const { r10, mrr, budget1000 } = means(found);
  return `recall@10 ${r10}, MRR ${mrr}, within 1,000 tokens ${budget1000}`;
}

function changed(parameters: StructureParameters = STRUCTURE): string {
  const other = Object.entries(parameters).filter(([name, value]) => value !== STRUCTURE[name as keyof StructureParameters]);
  return other.length === 0 ? 'the defaults' : JSON.stringify(Object.fromEntries(other));
}
