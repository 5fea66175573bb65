import assert from 'node:assert/strict';
import { webcrypto } from 'node:crypto';

import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import proto from '@temporalio/proto';
import fc from 'fast-check';

import { EncryptingCodec } from '../src/codec.js';
import { freshPayloadKey, readPayloadKeys, type PayloadKey } from '../src/setup/payload-keys.js';

type Keys = readonly [PayloadKey, ...PayloadKey[]];
const keysOf = (...pairs: string[]): Keys => readPayloadKeys(pairs.join(','), undefined) as Keys;
const payloadOf = (value: unknown): Payload => defaultPayloadConverter.toPayload(value);
const text = (bytes: Uint8Array | null | undefined): string => Buffer.from(bytes ?? []).toString('utf8');

describe('payload encryption', () => {
  const [old, fresh] = [freshPayloadKey('old'), freshPayloadKey('fresh')];
  const codec = new EncryptingCodec(keysOf(old));
  const sealed = async (value: unknown, by = codec): Promise<Payload> => (await by.encode([payloadOf(value)]))[0] as Payload;

  it('gives back every payload as it was, whatever it holds', async () => {
    const fields = fc.dictionary(fc.string(), fc.uint8Array());
    await fc.assert(
      fc.asyncProperty(fc.array(fc.record({ metadata: fields, data: fc.uint8Array() })), async (payloads) => {
        const back = await codec.decode(await codec.encode(payloads));
        assert.deepEqual(
          back.map(({ metadata, data }) => ({ metadata: plain(metadata), data: Buffer.from(data ?? []) })),
          payloads.map(({ metadata, data }) => ({ metadata: plain(metadata), data: Buffer.from(data) })),
        );
      }),
    );
  });

  it('leaves nothing readable but that it is encrypted, and by which key', async () => {
    const { metadata, data } = await sealed({ instruction: 'where is the ferret' });
    assert.deepEqual(Object.keys(metadata ?? {}).sort(), ['encoding', 'encryption-key-id']);
    assert.deepEqual([text(metadata?.['encoding']), text(metadata?.['encryption-key-id'])], ['binary/encrypted', 'old']);
    assert.doesNotMatch(Buffer.from(data ?? []).toString('latin1'), /ferret|json/u);
  });

  it('never encrypts the same twice to the same bytes', async () => {
    const all = await Promise.all(Array.from({ length: 100 }, () => sealed('ferret')));
    assert.equal(new Set(all.map(({ data }) => Buffer.from(data ?? []).toString('base64'))).size, 100);
  });

  it('is read by a codec written as in Temporal’s samples, and reads what that one wrote', async () => {
    const { subtle } = webcrypto;
    const raw = Buffer.from(old.split(':')[1] as string, 'base64');
    const key = await subtle.importKey('raw', raw, 'AES-GCM', false, ['encrypt', 'decrypt']);
    const { Payload: message } = proto.temporal.api.common.v1;
    const { data } = await sealed('from ours');
    const bytes = Buffer.from(data ?? []);
    const opened = await subtle.decrypt({ name: 'AES-GCM', iv: bytes.subarray(0, 12) }, key, bytes.subarray(12));
    assert.equal(defaultPayloadConverter.fromPayload(message.decode(new Uint8Array(opened))), 'from ours');
    const iv = webcrypto.getRandomValues(new Uint8Array(12));
    const closed = await subtle.encrypt({ name: 'AES-GCM', iv }, key, message.encode(payloadOf('from theirs')).finish());
    const metadata = { encoding: Buffer.from('binary/encrypted'), 'encryption-key-id': Buffer.from('old') };
    const [back] = await codec.decode([{ metadata, data: Buffer.concat([iv, Buffer.from(closed)]) }]);
    assert.equal(defaultPayloadConverter.fromPayload(back as Payload), 'from theirs');
  });

  it('encrypts by the newest key and decrypts by each, so that keys can be changed while histories live', async () => {
    const rotated = new EncryptingCodec(keysOf(fresh, old));
    const before = await sealed('before');
    const after = await sealed('after', rotated);
    assert.equal(text(after.metadata?.['encryption-key-id']), 'fresh');
    const read = (await rotated.decode([before, after])).map((payload) => defaultPayloadConverter.fromPayload(payload));
    assert.deepEqual(read, ['before', 'after']);
  });

  it('names the key that it has not, and says that trying again won’t help', async () => {
    const other = new EncryptingCodec(keysOf(fresh));
    await assert.rejects(other.decode([await sealed('x')]), (error: { kind: string; retryable: boolean; message: string }) => {
      assert.deepEqual([error.kind, error.retryable], ['config', false]);
      assert.match(error.message, /with the key "old".*\(fresh\).*ENGRAPH_PAYLOAD_KEYS/u);
      return true;
    });
  });

  it('refuses what was changed anywhere, was cut, or was made by another key of the same id', async () => {
    const whole = await sealed({ text: 'ferret' });
    const bytes = Buffer.from(whole.data ?? []);
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] as number) ^ 1;
      await assert.rejects(codec.decode([{ ...whole, data: changed }]), { kind: 'config', retryable: false });
    }
    for (const cut of [0, 11, 12, 20, bytes.length - 1])
      await assert.rejects(codec.decode([{ ...whole, data: bytes.subarray(0, cut) }]), { kind: 'config' });
    const namesake = new EncryptingCodec(keysOf(freshPayloadKey('old')));
    await assert.rejects(namesake.decode([whole]), /another key goes by that id/u);
  });

  it('encrypts nothing without keys, and says what is missing where it meets what is encrypted', async () => {
    const without = new EncryptingCodec([]);
    const plain = payloadOf({ a: 1 });
    assert.deepEqual(await without.decode(await without.encode([plain])), [plain]);
    await assert.rejects(without.decode([await sealed('x')]), {
      kind: 'config',
      message: /key "old", and there are no keys here/u,
    });
  });

  it('passes what was never encrypted, as a history from before the keys is', async () => {
    const before = payloadOf({ a: 1 });
    assert.deepEqual(await codec.decode([before]), [before]);
  });
});

const plain = (metadata: Payload['metadata']): Record<string, Buffer> =>
  Object.fromEntries(Object.entries(metadata ?? {}).map(([name, value]) => [name, Buffer.from(value)]));
