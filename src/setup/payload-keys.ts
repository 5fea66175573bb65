import { createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';

import { EngraphError } from '../domain/failure.js';

/** A key of payload encryption. `secret` is an object of Node's that prints as nothing and that JSON leaves out. */
export interface PayloadKey {
  /** Stands readably beside each payload that it encrypted. */
  readonly id: string;
  readonly secret: KeyObject;
}

/** AES-256 takes 32 bytes. */
const KEY_BYTES = 32;
const ID = /^[\w.-]{1,64}$/;
/** What 32 bytes are in base64: 43 letters and one `=`. Node's decoder skips what is no base64, so the form is checked first. */
const BASE64 = /^[A-Za-z0-9+/]{43}=$/;

/**
 * The keys that ENGRAPH_PAYLOAD_KEYS holds, or the file that ENGRAPH_PAYLOAD_KEYS_FILE names: `id:key` pairs joined by commas or
 * line ends, the newest first. The first encrypts; all decrypt. Undefined where neither is set: nothing is then encrypted.
 * Fails with `config` for anything that can't be used; the message names the setting and which key it is, never the key.
 */
export function readPayloadKeys(
  keys: string | undefined,
  file: string | undefined,
): readonly [PayloadKey, ...PayloadKey[]] | undefined {
  if (keys !== undefined && file !== undefined)
    throw refused('ENGRAPH_PAYLOAD_KEYS', 'and ENGRAPH_PAYLOAD_KEYS_FILE are both set: unset one of them');
  if (file !== undefined) return parseKeys('ENGRAPH_PAYLOAD_KEYS_FILE', readKeyFile(file));
  return keys === undefined ? undefined : parseKeys('ENGRAPH_PAYLOAD_KEYS', keys);
}

/** A fresh key under this id, as the setting wants it: `id:base64`. Fails with `validation` for an id that can't be used. */
export function freshPayloadKey(id: string): string {
  if (!ID.test(id))
    throw new EngraphError(
      'validation',
      `the key id ${JSON.stringify(id)} must be 1 to 64 letters, digits, dots, dashes or underscores`,
    );
  return `${id}:${randomBytes(KEY_BYTES).toString('base64')}`;
}

function readKeyFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'an error';
    throw refused(
      'ENGRAPH_PAYLOAD_KEYS_FILE',
      `names ${file}, which can't be read (${code}): correct the path or its rights`,
      cause,
    );
  }
}

function parseKeys(setting: string, text: string): readonly [PayloadKey, ...PayloadKey[]] {
  const pairs = text
    .split(/[,\n]/)
    .map((pair) => pair.trim())
    .filter((pair) => pair !== '');
  const [first, ...rest] = pairs.map((pair, n) => parseKey(setting, pair, n + 1));
  if (first === undefined) throw refused(setting, `holds no key: ${WAY_OUT}`);
  const ids = new Set<string>();
  for (const { id } of [first, ...rest]) {
    if (ids.has(id)) throw refused(setting, `has the key id "${id}" twice: an old payload could be read by neither for sure`);
    ids.add(id);
  }
  return [first, ...rest];
}

function parseKey(setting: string, pair: string, place: number): PayloadKey {
  const colon = pair.indexOf(':');
  const id = pair.slice(0, Math.max(colon, 0));
  // What stands before the colon may be a part of a key where the id was forgotten, so a bad one is told by its place only.
  if (!ID.test(id)) throw refused(setting, `has no usable id before the colon of key ${place}: ${WAY_OUT}`);
  const encoded = pair.slice(colon + 1);
  if (!BASE64.test(encoded)) throw refused(setting, `has a key "${id}" that is not ${KEY_BYTES} bytes in base64: ${WAY_OUT}`);
  return { id, secret: createSecretKey(Buffer.from(encoded, 'base64')) };
}

const WAY_OUT = 'it must be id:key, or several joined by commas, the newest first; `engraph key` makes one';

function refused(setting: string, what: string, cause?: unknown): EngraphError {
  return new EngraphError('config', `${setting} ${what}`, { details: { setting }, ...(cause !== undefined && { cause }) });
}
