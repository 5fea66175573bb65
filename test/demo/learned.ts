import { MockActivityEnvironment } from '@temporalio/testing';

import type { DemoDocument } from '../../demo/corpus.js';
import type { DocumentPlan } from '../../activities/contract-knowledge.js';
import { RulesModel } from '../../src/adapters/rules.js';
import { createActivities, type OpenMemory } from '../../src/compose.js';
import { CHUNK_CHARACTERS } from '../../src/domain/document.js';
import { hashOf } from '../../src/domain/id.js';
import type { Embedder } from '../../src/ports/embedder.js';

/** Learns these documents as `knowledgeWorkflow` does, by its own activities, without a server. */
export async function learnHere(documents: readonly DemoDocument[], space: string, memory: OpenMemory): Promise<void> {
  const { planDocument, insertChunks } = createActivities(memory, new RulesModel());
  const environment = new MockActivityEnvironment();
  for (const { document, title, text } of documents) {
    const textRef = await memory.texts.keep(space, text);
    const rest = { hash: hashOf(text), chunkCharacters: CHUNK_CHARACTERS, at: '2026-01-01T00:00:00.000Z', token: document };
    const key = { space, document, title, textRef, ...rest };
    const { planRef, fresh }: DocumentPlan = await environment.run(planDocument, key);
    if (planRef !== undefined) await environment.run(insertChunks, { ...key, planRef, from: 0, count: fresh });
  }
}

/** An embedder that embeds each text once, however many seeds learn it. */
export function rememberingEmbedder(embedder: Embedder): Embedder {
  const vectors = new Map<string, number[]>();
  return {
    identity: embedder.identity,
    embed: async (texts, options) => {
      const missing = [...new Set(texts.filter((text) => !vectors.has(text)))];
      const made = missing.length === 0 ? [] : await embedder.embed(missing, options);
      missing.forEach((text, at) => vectors.set(text, made[at] ?? []));
      return texts.map((text) => vectors.get(text) ?? []);
    },
    close: () => embedder.close(),
  };
}
