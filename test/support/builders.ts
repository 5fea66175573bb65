import type { NewNode } from '../../src/store/nodes.js';
import { idOf } from '../../src/domain/id.js';
import type { OpenMemory } from '../../src/compose.js';

/** A chunk as knowledge makes them, of a document with one chunk unless told otherwise. */
export function aChunk(
  text: string,
  { document = 'notes.md', position = 0 }: { document?: string; position?: number } = {},
): NewNode {
  return {
    ...{ id: idOf('test chunk', document, position, text), kind: 'semantic', form: 'chunk', text },
    source: { document, title: document, position },
    edges: {},
  };
}

/** Puts nodes into a space as if they had been learned. */
export async function remembering({ nodes }: OpenMemory, space: string, ...fresh: readonly NewNode[]): Promise<void> {
  await nodes.insert(space, fresh, {
    recordedAt: '2026-01-01T00:00:00.000Z',
    token: idOf('test', space, ...fresh.map(({ id }) => id)),
  });
}
