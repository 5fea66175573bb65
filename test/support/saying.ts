import type { Message } from '../../src/domain/message.js';
import type { SemanticNode } from '../../src/domain/graph.js';
import type { FactsInput, FactsReply } from '../../src/prompts/inputs-facts.js';
import type { Stage } from './environment.js';
import { ScriptedModel } from './scripted-model.js';

/** A message of a user. */
export const says = (content: unknown, more: Partial<Message> = {}): Message => ({ role: 'user', content, ...more });

/** Messages that differ in their words; each is a few tokens. */
export const codeWords = (count: number, from = 1): Message[] =>
  Array.from({ length: count }, (_, at) => says(`code word W${String(from + at).padStart(2, '0')}`));

/** The semantic nodes of one form, in the order of their conversation. */
export async function nodesOf(
  { memory }: Pick<Stage, 'memory'>,
  space: string,
  form: 'turn' | 'fact' = 'turn',
): Promise<SemanticNode[]> {
  const nodes: SemanticNode[] = [];
  for await (const node of memory.nodes.scan(space, { kinds: ['semantic'], forms: [form] })) nodes.push(node as SemanticNode);
  return nodes.sort((a, b) => (a.source.position ?? 0) - (b.source.position ?? 0));
}

/** A model that finds in each turn the fact that it says what it says. */
export const factPerTurn = (): ScriptedModel =>
  new ScriptedModel({
    facts: ({ input }): FactsReply => ({
      topics: (input as FactsInput).sections.map(({ n, turns }) => ({
        ...{ section: n, title: `Section ${n}`, summary: `About ${turns[0]?.text ?? ''}` },
        facts: turns.map((turn) => ({ turn: turn.n, saidBy: 'user' as const, text: `It was said: ${turn.text}`, when: null })),
      })),
    }),
  });
