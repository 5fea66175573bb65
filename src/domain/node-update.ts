import { invalid, onlyKeys, optional, record, shortText, show, text } from './fields.js';
import type { GraphNode } from './graph.js';
import type { JsonObject } from './json.js';
import { redactSecrets, withoutSecrets } from './redact.js';

/** What a caller may change of a node: its text, and metadata key by key. */
export interface NodeUpdate {
  readonly text?: string;
  readonly metadata?: JsonObject;
}

/** Longest key of an update. */
const KEY_MAX = 256;

/** The update without secrets; fails with `validation` or `too_large`, naming the field. */
export function checkUpdate(update: unknown): NodeUpdate {
  const given = record(update, 'update');
  onlyKeys(given, 'update', ['text', 'metadata']);
  const changed = optional(given['text'], (value) => text(value, 'text', true));
  const metadata = optional(given['metadata'], (value) => record(value, 'metadata') as JsonObject);
  if (metadata !== undefined) text(JSON.stringify(metadata), 'metadata', true);
  if (changed === undefined && metadata === undefined) throw invalid('an update needs a text or metadata; it has neither');
  return {
    ...(changed !== undefined && { text: redactSecrets(changed).text }),
    ...(metadata !== undefined && { metadata: withoutSecrets(metadata) as JsonObject }),
  };
}

/** The key of an update, where it has one. */
export const checkUpdateKey = (key: unknown): string | undefined => optional(key, (value) => shortText(value, 'key', KEY_MAX));

/**
 * Refuses what is not the caller's to change: a turn was said, a chunk stands in its document, an episode happened, a skill is
 * measured. Metadata is the caller's own on every semantic node.
 */
export function checkUpdatable(node: GraphNode, update: NodeUpdate): void {
  const form = node.kind === 'semantic' ? node.form : node.kind;
  if (node.kind !== 'semantic')
    throw invalid(`node ${node.id} is ${show(form)}; only facts, summaries, turns and chunks can be updated`);
  if (update.text === undefined || form === 'fact' || form === 'summary') return;
  const why = form === 'turn' ? 'a turn stays as it was said' : 'a chunk stays as its document has it; learn the document again';
  throw invalid(`the text of node ${node.id} can't be updated: ${why}`);
}

/** Whether the node says all of it already. */
export const isUpdated = (node: GraphNode, { text: wanted, metadata = {} }: NodeUpdate): boolean =>
  (wanted === undefined || wanted === node.text) &&
  Object.entries(metadata).every(([name, value]) => JSON.stringify(node.metadata?.[name]) === JSON.stringify(value));
