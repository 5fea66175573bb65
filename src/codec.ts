import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

import type { Payload, PayloadCodec } from '@temporalio/common';
import proto from '@temporalio/proto';

import { EngraphError } from './domain/failure.js';
import type { PayloadKey } from './setup/payload-keys.js';

/** The two words of Temporal's own samples, so that a codec written after them in any language reads what ours wrote. */
const ENCODING = 'binary/encrypted';
const KEY_ID = 'encryption-key-id';

/** Sizes that GCM is made for (NIST SP 800-38D): a nonce of 96 bits, a tag of 128. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const { Payload: PayloadMessage } = proto.temporal.api.common.v1;

/**
 * Encrypts payloads before they leave for Temporal, and decrypts what comes from there: AES-256-GCM over the payload's whole
 * wire form (its own encoding included), nonce, ciphertext and tag one after the other. The first key encrypts, every key
 * decrypts; without keys nothing is encrypted. A payload that is not encrypted passes as it is, since histories may be older
 * than the keys. Fails with `config`, which is not retryable, for a key it has not and for bytes that were changed. Comes after
 * the claim check on the way out.
 */
export class EncryptingCodec implements PayloadCodec {
  readonly #newest: PayloadKey | undefined;
  readonly #keys: ReadonlyMap<string, PayloadKey>;

  constructor(keys: readonly PayloadKey[]) {
    this.#newest = keys[0];
    this.#keys = new Map(keys.map((key) => [key.id, key]));
  }

  encode(payloads: Payload[]): Promise<Payload[]> {
    const newest = this.#newest;
    return Promise.resolve(newest === undefined ? payloads : payloads.map((payload) => seal(payload, newest)));
  }

  // Async, so that a refusal is a rejection.
  async decode(payloads: Payload[]): Promise<Payload[]> {
    return payloads.map((payload) => this.#decodeOne(payload));
  }

  #decodeOne(payload: Payload): Payload {
    if (text(payload.metadata?.['encoding']) !== ENCODING) return payload;
    const id = text(payload.metadata?.[KEY_ID]);
    const key = this.#keys.get(id);
    if (key === undefined) {
      const known =
        this.#keys.size === 0
          ? 'and there are no keys here'
          : `which is not among the keys here (${[...this.#keys.keys()].join(', ')})`;
      throw new EngraphError(
        'config',
        `a payload was encrypted with the key ${JSON.stringify(id)}, ${known}: add it to ENGRAPH_PAYLOAD_KEYS, after the newest`,
        { details: { keyId: id } },
      );
    }
    return open(payload.data ?? new Uint8Array(), key);
  }
}

function seal(payload: Payload, { id, secret }: PayloadKey): Payload {
  // Random, where everything else in Engraph is made from keys: GCM under a nonce used twice gives the key stream away, and two
  // attempts at one write must not be told apart by their bytes anyway. 2^32 payloads a key are safe (NIST SP 800-38D, 8.3).
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', secret, nonce);
  const sealed = [nonce, cipher.update(PayloadMessage.encode(payload).finish()), cipher.final(), cipher.getAuthTag()];
  return { metadata: { encoding: bytes(ENCODING), [KEY_ID]: bytes(id) }, data: Buffer.concat(sealed) };
}

function open(data: Uint8Array, { id, secret }: PayloadKey): Payload {
  try {
    const decipher = createDecipheriv('aes-256-gcm', secret, data.subarray(0, NONCE_BYTES));
    decipher.setAuthTag(data.subarray(-TAG_BYTES));
    const opened = Buffer.concat([decipher.update(data.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
    return PayloadMessage.decode(opened);
  } catch (cause) {
    throw new EngraphError(
      'config',
      `a payload of the key ${JSON.stringify(id)} can't be decrypted: it was changed on its way, or another key goes by that id here`,
      { cause, details: { keyId: id } },
    );
  }
}

const bytes = (words: string): Uint8Array => Buffer.from(words, 'utf8');
const text = (encoded: Uint8Array | null | undefined): string => (encoded == null ? '' : Buffer.from(encoded).toString('utf8'));
