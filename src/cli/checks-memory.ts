import { existsSync } from 'node:fs';

import { SqliteVectorStore } from '../adapters/sqlite.js';
import { openEmbedder } from '../compose.js';
import type { Config } from '../config.js';
import type { Embedder } from '../ports/embedder.js';
import { findMiniLm } from '../setup/minilm.js';
import { checkQdrant } from './checks-qdrant.js';
import type { Check } from './doctor.js';
import { toldFailure } from './failures.js';

/** The embedding model, by embedding a word; and the store, by comparing what it was made with. Nothing is fetched or made. */
export async function checkMemory(config: Config): Promise<Check[]> {
  if (config.embedder.kind === 'minilm' && (await findMiniLm(config)) === undefined) {
    const found = `all-MiniLM-L6-v2 is fetched (21 MB) into ${config.cache} when the first worker starts`;
    return [{ name: 'embedding model', state: 'later', found }, ...(await checkStore(config))];
  }
  let embedder: Embedder | undefined;
  try {
    embedder = await openEmbedder(config);
    const [vector] = await embedder.embed(['word']);
    const { model } = embedder.identity;
    return [
      { name: 'embedding model', state: 'ok', found: `${model} embeds, ${vector?.length} dimensions` },
      ...(await checkStore(config, embedder)),
    ];
  } catch (error) {
    return [{ name: 'embedding model', state: 'missing', found: messageOf(error) }, ...(await checkStore(config))];
  } finally {
    await embedder?.close();
  }
}

/** The store, compared with the embedder where there is one. */
async function checkStore(config: Config, embedder?: Embedder): Promise<Check[]> {
  const { url } = config.qdrant;
  if (url !== undefined) return await checkQdrant({ ...config, qdrant: { ...config.qdrant, url } }, embedder?.identity);
  return [embedder === undefined ? storeWithout(config) : await checkFile(config, embedder)];
}

async function checkFile(config: Config, { identity }: Embedder): Promise<Check> {
  const name = 'store';
  if (!existsSync(config.store)) return storeWithout(config);
  try {
    const store = await SqliteVectorStore.open(config.store);
    try {
      await store.ensure(identity);
      const spaces = await store.spaces();
      return { name, state: 'ok', found: `${config.store} with ${spaces.length} spaces, made with ${identity.model}` };
    } finally {
      await store.close();
    }
  } catch (error) {
    return { name, state: 'missing', found: messageOf(error) };
  }
}

/** What can be said of the store where nothing embeds. */
function storeWithout({ store }: Config): Check {
  return existsSync(store)
    ? { name: 'store', state: 'ok', found: `${store} is there; what it was made with was not compared` }
    : { name: 'store', state: 'later', found: `${store} is made when the first worker starts` };
}

function messageOf(error: unknown): string {
  const failure = toldFailure(error);
  return failure instanceof Error ? failure.message : String(failure);
}
