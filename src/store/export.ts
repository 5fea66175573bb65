import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

import { EDGE_FIELDS, type GraphNode } from '../domain/graph.js';
import type { Json, JsonObject } from '../domain/json.js';

export interface HashOptions {
  /** Takes retired versions, version numbers and times in: two graphs are then equal only where their histories are. */
  readonly history?: boolean;
}

/** A node as one line of an export: every field as it is, nothing that JSON can't say. */
export function exportLine(node: GraphNode): JsonObject {
  return Object.fromEntries(Object.entries(node).filter(([, value]) => value !== undefined)) as unknown as JsonObject;
}

/**
 * SHA-256 over these nodes in a canonical form: fields by name, nodes by id (and version), edges as sets. Version numbers and
 * recording times are left out unless the history is asked for, so that a change and its undoing leave the hash as it was
 * (design.md 3.3). Vectors and terms follow from the text and are not part of it.
 */
export async function exportHash(nodes: AsyncIterable<GraphNode>, { history = false }: HashOptions = {}): Promise<string> {
  const lines: string[] = [];
  for await (const node of nodes) {
    const { version, recordedAt, retiredAt, edges, ...said } = node;
    const sets = Object.fromEntries(
      EDGE_FIELDS.flatMap((field) => (edges[field]?.length ? [[field, [...edges[field]].sort()]] : [])),
    );
    lines.push(canonical({ ...said, edges: sets, ...(history && { version, recordedAt, retiredAt }) } as unknown as JsonObject));
  }
  return bytesToHex(sha256(utf8ToBytes(lines.sort().join('\n'))));
}

/** A value as one text: fields by name, whatever order they came in. Equal values have equal texts. */
export function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).filter(([, inner]) => inner !== undefined);
  fields.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, inner]) => `${JSON.stringify(name)}:${canonical(inner)}`).join(',')}}`;
}
