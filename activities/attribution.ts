import { isOutsideMemory, type Attribution, type Edit } from '../src/domain/edit.js';
import type { AttributionReply } from '../src/prompts/inputs.js';
import type { AttributeInput } from './contract.js';

/**
 * A model's attribution held against what it was shown and what the caller allows: numbers of nodes it was never shown are
 * refused and told, edits that are not allowed are left out, and a fault outside memory edits nothing. At most one expand,
 * one prune and one bypass; each node is reshaped once, and not if it is pruned.
 */
export function acceptEdits(reply: AttributionReply, { links, allowed }: Pick<AttributeInput, 'links' | 'allowed'>): Attribution {
  const shown = new Set(links.map(({ number }) => number));
  const refused: number[] = [];
  const known = (number: number): boolean => {
    if (!shown.has(number) && !refused.includes(number)) refused.push(number);
    return shown.has(number);
  };
  const edits: Edit[] = [];
  const pruned = new Set<number>();
  const reshaped = new Map<number, 'finer' | 'coarser'>();
  for (const edit of isOutsideMemory(reply.fault) ? [] : reply.edits) {
    if (edit.edit === 'prune') edit.nodes.filter(known).forEach((number) => pruned.add(number));
    else if (edit.edit === 'reshape') {
      if (known(edit.node) && !reshaped.has(edit.node)) reshaped.set(edit.node, edit.direction);
    } else if (!edits.some((one) => one.edit === edit.edit)) edits.push({ edit: edit.edit });
  }
  if (pruned.size > 0) edits.unshift({ edit: 'prune', nodes: [...pruned].sort((a, b) => a - b) });
  for (const [node, direction] of reshaped) if (!pruned.has(node)) edits.push({ edit: 'reshape', node, direction });
  return { fault: reply.fault, edits: edits.filter(({ edit }) => allowed.includes(edit)), refused, attributed: true };
}
