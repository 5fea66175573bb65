import type { GraphNode } from '../domain/graph.js';
import type { Ranked } from '../store/recall.js';

/** Characters of a text that a list shows. */
const BRIEF = 240;

/** A text on one line, cut where it is long. */
export function inBrief(text: string, most = BRIEF): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > most ? `${line.slice(0, most - 1).toWellFormed()}…` : line;
}

/** A hit of a search: its scores, what it is, where it comes from, the beginning of its text. */
export function nodeInBrief({ node, score, dense, bm25 }: Ranked): string {
  const scores = `${score.toFixed(3)} (meaning ${dense.toFixed(3)}, words ${bm25.toFixed(2)})`;
  return `${scores}  ${whatItIs(node)}  ${node.id}\n  ${inBrief(node.text)}`;
}

/** A node with everything that it holds. */
export function nodeInFull(node: GraphNode): string {
  const { text, edges, ...fields } = node;
  const lines = Object.entries(fields).map(
    ([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const links = Object.entries(edges).map(([edge, ids]) => `${edge}: ${ids.join(' ')}`);
  return [...lines, ...links, '', text].join('\n');
}

function whatItIs(node: GraphNode): string {
  switch (node.kind) {
    case 'semantic':
      return [node.form, node.source.document ?? node.source.conversation].filter(Boolean).join(' of ');
    case 'episodic':
      return `episode of task ${node.taskId}, ${node.outcome}`;
    case 'procedural':
      return `${node.lifecycle} skill`;
  }
}
