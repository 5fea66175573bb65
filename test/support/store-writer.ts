import { spawn } from 'node:child_process';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';

import { QdrantVectorStore } from '../../src/adapters/qdrant.js';
import { SqliteVectorStore } from '../../src/adapters/sqlite.js';
import { EngraphError } from '../../src/domain/failure.js';
import { idOf } from '../../src/domain/id.js';
import type { VectorStore } from '../../src/ports/vector-store.js';
import { EMBEDDING, point, writes } from './points.js';

/** What a writing process is to do: batches of 20 points of its name, or so many wins on one point that others want too. */
export interface WriterTask {
  readonly name: string;
  readonly batches: number;
  readonly rival?: boolean;
}

/** The path of an SQLite file, or a Qdrant server and the prefix of its collection. */
export type WriterStore = string | { readonly url: string; readonly apiKey?: string; readonly prefix: string };

/** A process of its own that writes into a store. */
export interface Writer {
  /** How many of its writes were answered as durable, as far as it could say so. */
  acknowledged(): number;
  /** Resolves with the exit code, null after a kill. */
  readonly ended: Promise<number | null>;
  kill(): void;
}

/** Starts the writer; it creates the store where it is missing. */
export function startWriter(store: WriterStore, task: WriterTask): Writer {
  const child = spawn(process.execPath, ['--import', 'tsx', fileURLToPath(import.meta.url), JSON.stringify([store, task])], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let acknowledged = 0;
  child.stdout.on('data', (bytes: Buffer) => (acknowledged += bytes.length));
  return {
    acknowledged: () => acknowledged,
    ended: new Promise((resolve, reject) => child.on('error', reject).on('close', resolve)),
    kill: () => child.kill('SIGKILL'),
  };
}

async function writeBatches(store: VectorStore, { name, batches }: WriterTask): Promise<void> {
  for (let batch = 0; batch < batches; batch++) {
    const points = Array.from({ length: 20 }, (_, i) =>
      point(`${name} ${batch} ${i}`, { kind: name, status: name }, { vector: [1, i, batch, 1], text: `tea ${name} ${i}` }),
    );
    await store.upsert('ann', writes(...points));
    process.stdout.write('.');
  }
}

async function winRevisions(store: VectorStore, { name, batches }: WriterTask): Promise<void> {
  for (let attempt = 0, won = 0; won < batches; attempt++) {
    const [old] = await store.fetch('ann', [idOf('contested')]);
    const revision = old?.revision ?? 0;
    const next = point('contested', { wins: Number(old?.payload['wins'] ?? 0) + 1 });
    try {
      await store.upsert('ann', [{ point: next, expect: revision, token: `${name} ${attempt}` }]);
    } catch (error) {
      if (error instanceof EngraphError && error.kind === 'version_conflict') continue;
      throw error;
    }
    won += 1;
    process.stdout.write('.');
  }
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const [at, task] = JSON.parse(argv[2] ?? '[]') as [WriterStore, WriterTask];
  const store = typeof at === 'string' ? await SqliteVectorStore.open(at) : new QdrantVectorStore(at);
  try {
    await store.ensure(EMBEDDING);
    await (task.rival ? winRevisions(store, task) : writeBatches(store, task));
  } catch (error) {
    // The server that was killed is no news to the test that did it.
    if (!(error instanceof EngraphError) || error.kind !== 'store_unavailable') throw error;
    process.exitCode = 3;
  }
  await store.close();
}
