import assert from 'node:assert/strict';

import { QdrantVectorStore, type QdrantOptions } from '../../src/adapters/qdrant.js';
import type { EngraphError } from '../../src/domain/failure.js';
import { type FailureKind } from '../../src/domain/failure.js';
import { idOf } from '../../src/domain/id.js';
import { EMBEDDING, kind, point, writes } from '../support/points.js';
import { newPrefix, qdrantForTests, type QdrantForTests } from '../support/qdrant.js';
import { QdrantProxy, type Fault, type Seen } from '../support/qdrant-proxy.js';

const KEY = 'qd-0123456789abcdef';
const MEMORY = 'the safe opens with four ones and a seven';

/** Fails unless the promise rejects with this kind, and gives the error. */
async function failure(expected: FailureKind, promise: Promise<unknown>): Promise<EngraphError> {
  let caught: unknown;
  await promise.catch((error: unknown) => (caught = error));
  kind(expected)(caught);
  return caught as EngraphError;
}

describe('QdrantVectorStore beside a server with faults', function () {
  this.timeout(60_000);
  let qdrant: QdrantForTests;
  let proxy: QdrantProxy;
  let store: QdrantVectorStore;
  const open = (more: Partial<QdrantOptions> = {}) =>
    new QdrantVectorStore({ url: proxy.origin, apiKey: qdrant.apiKey ?? KEY, prefix: newPrefix(), timeoutMs: 500, ...more });

  before(async () => {
    qdrant = await qdrantForTests();
    proxy = await QdrantProxy.start(qdrant.url);
    store = open({ timeoutMs: 5_000 });
    await store.ensure(EMBEDDING);
  });
  after(async () => {
    await store.close();
    await proxy.stop();
    await qdrant.stop();
  });
  afterEach(() => void (proxy.fault = () => undefined));

  const onWrites = (fault: Fault) => {
    proxy.fault = ({ method, path }: Seen) => (method === 'PUT' && path.includes('/points') ? fault : undefined);
  };
  const write = () => store.upsert('ann', writes(point('a', { text: MEMORY })));

  it('asks for answers that are not compressed, with the key in its header', async () => {
    proxy.seen.length = 0;
    await store.count('ann');
    assert.deepEqual(
      proxy.seen.map(({ headers }) => [headers['accept-encoding'], headers['api-key']]),
      [['identity', qdrant.apiKey ?? KEY]],
    );
  });

  const waits: [string, number | undefined][] = [
    ['30', 30_000],
    ['0.5', 500],
    ['120', 120_000],
    ['86400', 600_000],
    ['soon', undefined],
    ['Fri, 01 Jan 1999 00:00:00 GMT', undefined],
  ];
  for (const [asked, expected] of waits) {
    it(`takes 429 with retry-after ${asked} for a wait of ${expected ?? 'its own'} milliseconds`, async () => {
      onWrites({ status: 429, headers: { 'retry-after': asked, 'content-type': 'application/json' }, body: '{}' });
      const error = await failure('store_unavailable', write());
      assert.deepEqual([error.retryable, error.retryAfterMs], [true, expected]);
    });
  }

  it('takes 503, a dropped connection, an answer cut off and silence for something that passes', async () => {
    const faults: Fault[] = [{ status: 503 }, { status: 500, body: 'oops' }, 'drop', 'cut'];
    for (const fault of faults) {
      onWrites(fault);
      const error = await failure('store_unavailable', write());
      assert.equal(error.retryable, true, error.message);
      assert.ok(error.message.includes(proxy.origin), error.message);
    }
    const impatient = open({ timeoutMs: 200 });
    proxy.fault = () => 'hang';
    const error = await failure('store_unavailable', impatient.ensure(EMBEDDING));
    assert.match(error.message, /200 ms \(ENGRAPH_STORE_TIMEOUT_MS\)/u);
    assert.equal(error.retryable, true);
    proxy.fault = () => undefined;
    await write();
    assert.equal(await store.count('ann'), 1);
    await impatient.close();
  });

  it('never tries a refused request again, tells what the server said, and no memory with it', async () => {
    const said = `Format error in JSON body: invalid type: string "${MEMORY}", expected u64 for "version"`;
    const body = JSON.stringify({ status: { error: said }, time: 0 });
    for (const status of [400, 404, 413, 422]) {
      onWrites({ status, headers: { 'content-type': 'application/json' }, body });
      const error = await failure('store_unavailable', write());
      assert.equal(error.retryable, false);
      assert.match(error.message, /Format error in JSON body: invalid type: string "…", expected u64 for "version"/u);
      assert.ok(!error.message.includes('four ones'), error.message);
    }
  });

  it('says that a key was refused, without the key', async () => {
    onWrites({ status: 401, body: `Invalid API key ${KEY}` });
    const error = await failure('config', write());
    assert.match(error.message, /QDRANT_API_KEY/u);
    assert.ok(!JSON.stringify([error.message, error.details, String(error.stack)]).includes(KEY));
  });

  it('does not take a write for done that the server stopped waiting for', async () => {
    const body = JSON.stringify({ result: { operation_id: 1, status: 'wait_timeout' }, status: 'ok', time: 0 });
    onWrites({ status: 200, headers: { 'content-type': 'application/json' }, body });
    assert.equal((await failure('store_unavailable', write())).retryable, true);
  });

  it('names the setting where something else than Qdrant answers, or a server that is too old', async () => {
    const other = open();
    proxy.fault = () => ({ status: 200, headers: { 'content-type': 'text/html' }, body: '<h1>It works!</h1>' });
    assert.match((await failure('config', other.ensure(EMBEDDING))).message, /QDRANT_URL/u);
    const root = JSON.stringify({ title: 'qdrant - vector search engine', version: '1.16.3' });
    proxy.fault = () => ({ status: 200, headers: { 'content-type': 'application/json' }, body: root });
    assert.match((await failure('config', other.ensure(EMBEDDING))).message, /1\.16\.3.*1\.17/u);
    await other.close();
  });

  it('stops at once for a signal, with its reason', async () => {
    proxy.fault = () => 'hang';
    const aborting = new AbortController();
    const waiting = store.count('ann', [], { signal: aborting.signal });
    aborting.abort(new Error('enough'));
    await assert.rejects(waiting, /enough/u);
  });

  it('finds a write that was applied though its answer got lost, and repeats nothing', async () => {
    const write = { point: point('lost', { n: 1 }), expect: 0, token: 't' };
    let dropped = false;
    proxy.fault = ({ method, path }) => {
      // The read back after the write: the write itself went through.
      if (dropped || method !== 'POST' || !path.endsWith('/points')) return undefined;
      const wrote = proxy.seen.slice(seenBefore).some((seen) => seen.method === 'PUT');
      dropped = wrote;
      return wrote ? 'drop' : undefined;
    };
    const seenBefore = proxy.seen.length;
    await failure('store_unavailable', store.upsert('bob', [{ ...write, point: { ...write.point, space: 'bob' } }]));
    assert.equal(dropped, true);
    proxy.fault = () => undefined;
    await store.upsert('bob', [{ ...write, point: { ...write.point, space: 'bob' } }]);
    assert.deepEqual(
      (await store.fetch('bob', [idOf('lost')])).map(({ revision }) => revision),
      [1],
    );
  });

  it('cuts a load into requests that the server takes, and finds all of it', async () => {
    const text = 'x'.repeat(1_000_000);
    const big = Array.from({ length: 12 }, (_, i) => point(`big ${i}`, { text: `${i}${text}` }, { space: 'big' }));
    proxy.seen.length = 0;
    const patient = open({ timeoutMs: 30_000 });
    await patient.ensure(EMBEDDING);
    await patient.upsert('big', writes(...big));
    const sizes = proxy.seen.flatMap(({ method, path, headers }) =>
      method === 'PUT' && path.includes('/points') ? [Number(headers['content-length'])] : [],
    );
    assert.ok(sizes.length > 2 && sizes.every((bytes) => bytes < 9_000_000), sizes.join(', '));
    assert.equal(await patient.count('big'), 12);
    await patient.close();
  });
});
