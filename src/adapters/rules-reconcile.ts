import type { ReconcileInput, ReconcileReply } from '../prompts/inputs-reconcile.js';

/**
 * Without a language model nothing is taken to be replaced by anything: only a memory in the very words of the fact is the
 * same, whatever their case and punctuation; all others are kept.
 */
export function reconcile({ fact, memories }: ReconcileInput): ReconcileReply {
  const same = memories.find(({ text, speaker }) => plain(text) === plain(fact.text) && speaker === fact.speaker);
  if (same === undefined) return { reason: 'none of them says the same in the same words', verdicts: [] };
  return { reason: `memory ${same.n} says the same`, verdicts: [{ n: same.n, verdict: 'merge', text: null }] };
}

const plain = (text: string): string => (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ');
