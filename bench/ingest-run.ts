import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createFactActivities } from '../activities/facts.js';
import { createSensingActivities } from '../activities/sensing.js';
import { SqliteVectorStore } from '../src/adapters/sqlite.js';
import { memoryOver, type OpenMemory } from '../src/compose.js';
import type { ConversationSettings, ConversationStatus } from '../src/domain/conversation.js';
import type { Message } from '../src/domain/message.js';
import type { Compressor } from '../src/ports/compressor.js';
import type { Embedder } from '../src/ports/embedder.js';
import type { LanguageModel } from '../src/ports/language-model.js';
import type { Segmenter } from '../src/ports/segmenter.js';
import type { Ledger } from '../src/store/drafts.js';
import { withEngraph, type Stage } from '../test/support/environment.js';

const SPACE = 'bench';

/** What a conversation is ingested with. */
export interface IngestParts {
  readonly embedder: Embedder;
  readonly model: LanguageModel;
  readonly compressor: Compressor;
  readonly segmenter: Segmenter;
  readonly settings: Partial<ConversationSettings>;
}

/** One conversation ingested. */
export interface Ingested {
  readonly status: ConversationStatus;
  readonly ledger: Ledger;
  /** The same once the space has slept. */
  readonly slept: Ledger;
  /** Until every turn was durable, and until everything was extracted; seconds. */
  readonly stored: number;
  readonly extracted: number;
  readonly bytes: number;
  readonly runs: number;
  /** Events of the longest run. */
  readonly maxEvents: number;
}

/** Ingests messages as one conversation, over an embedded store of its own, through workers and a server. */
export async function ingest(messages: readonly Message[], parts: IngestParts): Promise<Ingested> {
  const folder = await mkdtemp(join(tmpdir(), 'engraph-ingest-'));
  const store = await SqliteVectorStore.open(join(folder, 'memory.db'));
  // The embedder is the caller's, and serves the next conversation too.
  const memory: OpenMemory = { ...memoryOver(store, parts.embedder), close: () => store.close() };
  const activities = {
    ...createFactActivities({ ...memory, ...parts, now: () => new Date() }),
    ...createSensingActivities({ ...memory, segmenter: parts.segmenter }),
  };
  let ingested: Ingested | undefined;
  try {
    await withEngraph({ model: parts.model, memory, activities }, async (stage) => {
      ingested = await measured(stage, messages, parts.settings);
    });
  } finally {
    await memory.close();
    await rm(folder, { recursive: true, force: true });
  }
  if (ingested === undefined) throw new Error('nothing was ingested');
  return ingested;
}

async function measured(
  { client, memory, temporal, taskQueue }: Stage,
  messages: readonly Message[],
  settings: Partial<ConversationSettings>,
): Promise<Ingested> {
  const start = performance.now();
  const since = (): number => (performance.now() - start) / 1_000;
  await client.remember(SPACE, 'dialogue', messages, { settings });
  const stored = since();
  const status = await client.conversation(SPACE, 'dialogue').close();
  const extracted = since();
  let [bytes, runs, maxEvents] = [0, 0, 0];
  for await (const { workflowId, runId } of temporal.workflow.list({ query: `TaskQueue = '${taskQueue}'` })) {
    const { historyLength, raw } = await temporal.workflow.getHandle(workflowId, runId).describe();
    bytes += Number(raw.workflowExecutionInfo?.historySizeBytes ?? 0);
    maxEvents = Math.max(maxEvents, historyLength);
    runs += 1;
  }
  const ledger = await memory.drafts.ledger(SPACE);
  await client.sleep(SPACE, { phases: ['reconcile'], reconcile: { gate: false } });
  return { status, ledger, slept: await memory.drafts.ledger(SPACE), stored, extracted, bytes, runs, maxEvents };
}
