import assert from 'node:assert/strict';

import { defaultPayloadConverter, type Payload } from '@temporalio/common';

import { EncryptingCodec } from '../src/codec.js';
import { serveCodec } from '../src/codec-server.js';
import type { LoopbackServer } from '../src/loopback-server.js';
import { freshPayloadKey, readPayloadKeys, type PayloadKey } from '../src/setup/payload-keys.js';
import { askRaw } from './support/ask-raw.js';

const UI = 'http://127.0.0.1:8233';

describe('the codec server', () => {
  const codec = new EncryptingCodec(readPayloadKeys(freshPayloadKey('k'), undefined) as [PayloadKey]);
  let server: LoopbackServer;
  before(async () => void (server = await serveCodec(codec, 0, UI)));
  after(async () => await server.close());

  const ask = async (path: string, body: unknown, headers: Record<string, string> = {}, method = 'POST'): Promise<Response> =>
    await fetch(`http://127.0.0.1:${server.port}${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(method === 'POST' && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  const asJson = ({ metadata, data }: Payload) => ({
    metadata: Object.fromEntries(Object.entries(metadata ?? {}).map(([k, v]) => [k, Buffer.from(v).toString('base64')])),
    data: Buffer.from(data ?? []).toString('base64'),
  });

  it('decrypts for the UI, and encrypts what is typed there', async () => {
    const plain = asJson(defaultPayloadConverter.toPayload({ text: 'ferret' }));
    const encoded = await ask('/encode', { payloads: [plain] }, { origin: UI });
    assert.equal(encoded.headers.get('access-control-allow-origin'), UI);
    const secret = (await encoded.json()) as { payloads: (typeof plain)[] };
    assert.equal(Buffer.from(secret.payloads[0]?.metadata['encoding'] ?? '', 'base64').toString(), 'binary/encrypted');
    const decoded = await ask('/decode', secret, { origin: UI, 'x-namespace': 'engraph' });
    assert.deepEqual(await decoded.json(), { payloads: [plain] });
  });

  it('lets the browser ask beforehand, for the UI’s page and for no other', async () => {
    const allowed = await ask('/decode', undefined, { origin: UI }, 'OPTIONS');
    assert.deepEqual([allowed.status, allowed.headers.get('access-control-allow-origin')], [204, UI]);
    for (const method of ['OPTIONS', 'POST']) {
      const other = await ask('/decode', { payloads: [] }, { origin: 'http://evil.example' }, method);
      assert.equal(other.status, 403);
      assert.equal(other.headers.get('access-control-allow-origin'), null);
    }
  });

  it('refuses a page that came by a name of its own', async () => {
    assert.equal(await askRaw(server.port, '/decode', 'evil.example'), 403);
  });

  it('says what is wrong with a payload of another key, without an answer', async () => {
    const other = new EncryptingCodec(readPayloadKeys(freshPayloadKey('gone'), undefined) as [PayloadKey]);
    const [payload] = await other.encode([defaultPayloadConverter.toPayload('x')]);
    const answer = await ask('/decode', { payloads: [asJson(payload as Payload)] });
    assert.equal(answer.status, 400);
    assert.match(((await answer.json()) as { error: string }).error, /the key "gone"/u);
  });

  it('refuses what is no list of payloads, and other paths', async () => {
    for (const body of ['{', '[]', '{"payloads":[{"data":"%%"}]}']) assert.equal((await ask('/decode', body)).status, 400);
    assert.equal((await ask('/else', { payloads: [] })).status, 404);
    assert.equal((await ask('/decode', undefined, {}, 'GET')).status, 404);
  });

  it('says which option to change where the port is taken', async () => {
    await assert.rejects(serveCodec(codec, server.port, UI), { kind: 'config', message: /--port/u });
  });
});
