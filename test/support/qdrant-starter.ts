import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';

import { QdrantVectorStore } from '../../src/adapters/qdrant.js';
import { EMBEDDING, point, writes } from './points.js';

/** What became of one start: how many points the space holds then, or why it failed. */
export type Started = { readonly points: number } | { readonly failed: string };

/** A process of its own that starts on a store as often as it is told to. */
export interface Starter {
  /** Opens the prefix, writes one point of this name or none, and counts. */
  start(prefix: string, name?: string): Promise<Started>;
  end(): Promise<void>;
}

/** Starts the process and waits until it can take orders. */
export async function qdrantStarter(server: { url: string; apiKey?: string }): Promise<Starter> {
  const child = spawn(process.execPath, ['--import', 'tsx', fileURLToPath(import.meta.url), JSON.stringify(server)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const answer = async () => JSON.parse((await answers.next()).value as string) as Started;
  await answer();
  return {
    start: async (prefix, name) => {
      child.stdin.write(`${JSON.stringify({ prefix, name })}\n`);
      return await answer();
    },
    end: async () => {
      child.stdin.end();
      await ended;
    },
  };
}

async function startOnce(prefix: string, name: string | undefined): Promise<Started> {
  const store = new QdrantVectorStore({ ...(JSON.parse(argv[2] ?? '{}') as { url: string }), prefix });
  try {
    await store.ensure(EMBEDDING);
    if (name !== undefined)
      await store.upsert('ann', writes(point(name, { kind: 'semantic' }, { vector: [1, 0, 0, 0], text: name })));
    return { points: await store.count('ann') };
  } catch (error) {
    return { failed: String(error) };
  } finally {
    await store.close();
  }
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  console.log(JSON.stringify({ points: 0 }));
  for await (const line of createInterface({ input: process.stdin })) {
    const { prefix, name } = JSON.parse(line) as { prefix: string; name?: string };
    console.log(JSON.stringify(await startOnce(prefix, name)));
  }
}
