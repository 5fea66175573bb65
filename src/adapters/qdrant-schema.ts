import { setTimeout as wait } from 'node:timers/promises';

import type { Schemas } from '@qdrant/js-client-rest';

import { EngraphError } from '../domain/failure.js';
import { hashOf } from '../domain/id.js';
import { checkIdentity } from '../ports/vector-store-identity.js';
import { INDEXED_FIELDS, type EmbeddingIdentity } from '../ports/vector-store.js';
import { statusOf } from './qdrant-failure.js';
import { fieldKey } from './qdrant-filter.js';
import { DENSE, SPARSE } from './qdrant-point.js';
import type { QdrantRest } from './qdrant-rest.js';
import { TIME_FIELDS } from './qdrant-values.js';

/** The point of each collection that says what it was made with. It is in no space, so nothing else sees it. */
const IDENTITY_ID = '00000000-0000-0000-0000-000000000001';

/** Of the payload that `qdrant-point.ts` makes. A collection of another version is refused, since its meaning is not known here. */
const FORMAT = 1;

/** The first server that writes on a condition and on one that is not there only, both of which expected revisions rest on. */
const OLDEST_SERVER = [1, 17] as const;

/** How long a collection that another process just made may take to be readable, in milliseconds. */
const READABLE_WITHIN_MS = 30_000;
const LOOK_EVERY_MS = 50;

const WAY_OUT = 'set ENGRAPH_COLLECTION_PREFIX to another name, or embed the store anew';

/** Payload indexes: one for every field that is ever filtered, as strict mode and clouds ask for; spaces are tenants. */
const INDEXES: Readonly<Record<string, Schemas['PayloadFieldSchema']>> = {
  space: { type: 'keyword', is_tenant: true },
  ...Object.fromEntries(INDEXED_FIELDS.map((field) => [fieldKey(field), 'keyword' as const])),
  ...Object.fromEntries(TIME_FIELDS.map((field) => [`times.${field}`, { type: 'integer', lookup: false, range: true } as const])),
  prefixes: 'keyword',
  words: 'keyword',
  length: { type: 'integer', lookup: true, range: false },
  counted: 'keyword',
};

/** The collection's name for an embedding: prefix, model for people to read, dimension, and a hash of all three. */
export function collectionName(prefix: string, { model, dimension, hash }: EmbeddingIdentity): string {
  const slug = model
    .toLowerCase()
    .replace(/[^a-z0-9]+/gu, '-')
    .replace(/^-|-$/gu, '')
    .slice(0, 40);
  return `${prefix}--${slug}-${dimension}-${hashOf(JSON.stringify([model, dimension, hash])).slice(0, 8)}`;
}

/** The server's version. Fails with `config` for one that is too old, or that is no Qdrant. */
export async function serverVersion(rest: QdrantRest, signal?: AbortSignal): Promise<string> {
  const { version } = await rest.raw((api, init) => api.root({}, init), signal);
  const [major = 0, minor = 0] = String(version).split('.').map(Number);
  if (version === undefined || Number.isNaN(major + minor)) {
    throw new EngraphError('config', `${rest.address.shown} answers, but not as Qdrant does: check QDRANT_URL`, {
      details: { setting: 'QDRANT_URL' },
    });
  }
  if (major < OLDEST_SERVER[0] || (major === OLDEST_SERVER[0] && minor < OLDEST_SERVER[1])) {
    throw new EngraphError(
      'config',
      `Qdrant ${version} at ${rest.address.shown} is too old: Engraph needs ${OLDEST_SERVER.join('.')} or newer, which can write on a condition`,
    );
  }
  return version;
}

/** The collections of this prefix. */
export async function collectionsOf(rest: QdrantRest, prefix: string, signal?: AbortSignal): Promise<string[]> {
  const { collections } = await rest.ask((api, init) => api.getCollections({}, init), signal);
  return collections.map(({ name }) => name).filter((name) => name.startsWith(`${prefix}--`));
}

/**
 * Finds or makes the collection for an embedding, whole, whatever other processes do at the same time. Refuses with
 * `embedding_dimension` or `embedding_model` where this prefix has a collection for another embedding, which is left alone.
 */
export async function ensureCollection(
  rest: QdrantRest,
  prefix: string,
  embedding: EmbeddingIdentity,
  signal?: AbortSignal,
): Promise<string> {
  await serverVersion(rest, signal);
  const name = collectionName(prefix, embedding);
  await refuseOthers(rest, prefix, name, embedding, signal);
  const found = (await describeCollection(rest, name, signal)) ?? (await create(rest, name, embedding, signal));
  checkVectors(name, found, embedding);
  const missing = Object.entries(INDEXES).filter(([key]) => !(key in found.payload_schema));
  for (const [field_name, field_schema] of missing) {
    const asked = { collection_name: name, wait: true, field_name, field_schema };
    await rest.ask((api, init) => api.createFieldIndex(asked, init), signal);
  }
  await signIdentity(rest, name, embedding, signal);
  // Somebody may have come at the same time with another embedding: then neither goes on, and nothing was written yet.
  if (missing.length > 0) await refuseOthers(rest, prefix, name, embedding, signal);
  return name;
}

/** What a collection was made with; undefined where it does not say. */
export async function readIdentity(rest: QdrantRest, name: string, signal?: AbortSignal): Promise<EmbeddingIdentity | undefined> {
  const asked = { collection_name: name, ids: [IDENTITY_ID], with_payload: true };
  const [record] = await rest.ask((api, init) => api.getPoints(asked, init), signal);
  const kept = record?.payload?.['embedding'] as EmbeddingIdentity | undefined;
  if (kept === undefined) return undefined;
  if (record?.payload?.['format'] !== FORMAT) {
    throw new EngraphError('config', `the Qdrant collection ${name} is of another version of Engraph; ${WAY_OUT}`);
  }
  return kept;
}

async function refuseOthers(
  rest: QdrantRest,
  prefix: string,
  own: string,
  embedding: EmbeddingIdentity,
  signal?: AbortSignal,
): Promise<void> {
  for (const name of await collectionsOf(rest, prefix, signal)) {
    if (name === own) continue;
    const found = await describeCollection(rest, name, signal);
    if (found === undefined) continue; // removed since
    const stored = (await readIdentity(rest, name, signal)) ?? {
      model: 'a model it does not name',
      dimension: sizeOf(found) ?? 0,
      hash: 'unknown',
    };
    checkIdentity(`the Qdrant collection ${name}`, stored, embedding, WAY_OUT);
  }
}

async function create(
  rest: QdrantRest,
  name: string,
  { dimension }: EmbeddingIdentity,
  signal: AbortSignal | undefined,
): Promise<Schemas['CollectionInfo']> {
  const asked = {
    collection_name: name,
    // Vectors come as unit vectors, whose product is the cosine; `Cosine` would change and give back others than were written.
    vectors: { [DENSE]: { size: dimension, distance: 'Dot' as const } },
    sparse_vectors: { [SPARSE]: { modifier: 'idf' as const } },
    hnsw_config: { payload_m: 16 },
    strict_mode_config: { enabled: true, unindexed_filtering_retrieve: false },
  };
  try {
    await rest.ask((api, init) => api.createCollection(asked, init), signal);
  } catch (error) {
    if (statusOf(error) !== 409) throw error; // another process was first
  }
  const giveUpAt = performance.now() + READABLE_WITHIN_MS;
  for (;;) {
    const found = await describeCollection(rest, name, signal);
    if (found !== undefined) return found;
    if (performance.now() > giveUpAt) {
      throw new EngraphError('store_unavailable', `the Qdrant collection ${name} was made and is not readable`);
    }
    await wait(LOOK_EVERY_MS, undefined, signal && { signal });
  }
}

async function describeCollection(
  rest: QdrantRest,
  name: string,
  signal: AbortSignal | undefined,
): Promise<Schemas['CollectionInfo'] | undefined> {
  try {
    return await rest.ask((api, init) => api.getCollection({ collection_name: name }, init), signal);
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw error;
  }
}

const sizeOf = ({ config }: Schemas['CollectionInfo']): number | undefined => {
  const vectors = (config.params.vectors ?? {}) as { size?: number } & Record<string, { size?: number } | undefined>;
  return vectors.size ?? vectors[DENSE]?.size;
};

function checkVectors(name: string, found: Schemas['CollectionInfo'], embedding: EmbeddingIdentity): void {
  const size = sizeOf(found);
  if (size === undefined) {
    throw new EngraphError(
      'config',
      `the Qdrant collection ${name} is not one of Engraph's: it has no vector ${DENSE}; ${WAY_OUT}`,
    );
  }
  checkIdentity(`the Qdrant collection ${name}`, { ...embedding, dimension: size }, embedding, WAY_OUT);
}

/** Writes the identity where there is none, and refuses one that is another. */
async function signIdentity(
  rest: QdrantRest,
  name: string,
  { model, dimension, hash }: EmbeddingIdentity,
  signal: AbortSignal | undefined,
): Promise<void> {
  const embedding = { model, dimension, hash };
  const known = await readIdentity(rest, name, signal);
  if (known === undefined) {
    const point = { id: IDENTITY_ID, vector: {}, payload: { format: FORMAT, embedding } };
    const asked = { collection_name: name, wait: true, points: [point], update_mode: 'insert_only' as const };
    await rest.ask((api, init) => api.upsertPoints(asked, init), signal);
  }
  const stored = known ?? (await readIdentity(rest, name, signal));
  if (stored !== undefined) checkIdentity(`the Qdrant collection ${name}`, stored, embedding, WAY_OUT);
}
