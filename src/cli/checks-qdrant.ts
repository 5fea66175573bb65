import { QdrantRest } from '../adapters/qdrant-rest.js';
import { collectionName, collectionsOf, readIdentity, serverVersion } from '../adapters/qdrant-schema.js';
import type { Config } from '../config.js';
import type { EmbeddingIdentity } from '../ports/vector-store.js';
import { checkIdentity } from '../ports/vector-store-identity.js';
import type { Check } from './doctor.js';
import { toldFailure } from './failures.js';

/** The client's own version, to which the server's should be the same or one minor version away (Qdrant's rule). */
const CLIENT = { version: '1.18.0', major: 1, minor: 18 };

/** The doctor need not wait as long as a worker. */
const ANSWERS_WITHIN_MS = 5_000;

/**
 * The Qdrant server: whether it answers and takes the key, its version beside the client's, and its collection beside the
 * embedder, where there is one to compare with. Nothing is made.
 */
export async function checkQdrant(
  { qdrant }: Config & { readonly qdrant: { readonly url: string } },
  embedding: EmbeddingIdentity | undefined,
): Promise<Check[]> {
  const checks: Check[] = [];
  const warnings: string[] = [];
  let rest: QdrantRest | undefined;
  try {
    const timeoutMs = Math.min(qdrant.timeoutMs, ANSWERS_WITHIN_MS);
    rest = new QdrantRest({ ...qdrant, timeoutMs, warn: (message) => warnings.push(message) });
    checks.push(versionCheck(rest.address.shown, await serverVersion(rest), warnings));
    checks.push(await collectionCheck(rest, qdrant.prefix, embedding));
  } catch (error) {
    const failure = toldFailure(error);
    checks.push({ name: 'store', state: 'missing', found: failure instanceof Error ? failure.message : String(failure) });
  } finally {
    await rest?.close();
  }
  return checks;
}

function versionCheck(shown: string, version: string, warnings: readonly string[]): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const apart = major !== CLIENT.major || Math.abs(minor - CLIENT.minor) > 1;
  const beside = apart
    ? `, more than one minor version from its client ${CLIENT.version}: upgrade the older of the two`
    : `, client ${CLIENT.version}`;
  const found = [`Qdrant ${version} answers at ${shown}${beside}`, ...warnings].join('. ');
  return { name: 'Qdrant server', state: 'ok', found };
}

async function collectionCheck(rest: QdrantRest, prefix: string, embedding: EmbeddingIdentity | undefined): Promise<Check> {
  const name = 'store';
  const [collection, ...others] = await collectionsOf(rest, prefix);
  if (collection === undefined) {
    const made = embedding === undefined ? `${prefix}--…` : collectionName(prefix, embedding);
    return { name, state: 'later', found: `the collection ${made} is made when the first worker starts` };
  }
  const stored = await readIdentity(rest, collection);
  if (embedding !== undefined && stored !== undefined)
    checkIdentity(`the Qdrant collection ${collection}`, stored, embedding, 'set ENGRAPH_COLLECTION_PREFIX to another name');
  const compared = embedding === undefined ? '; what it was made with was not compared' : '';
  const more = others.length === 0 ? '' : `. There are others of this prefix: ${others.join(', ')}`;
  return {
    name,
    state: 'ok',
    found: `collection ${collection}, made with ${stored?.model ?? 'a model it does not name'}${compared}${more}`,
  };
}
