import { sha1 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';

/** Engraph's own namespace for version 5 UUIDs (RFC 9562). Changing it would make every id of every store another one. */
const NAMESPACE = hexToBytes('7d1e4b7c0f4e5a0f9a3c5b1c8f2d6e90');

/**
 * The version 5 UUID of a key's parts, the same on every machine and in every attempt. Parts are length-prefixed, so that
 * ('a', 'bc') and ('ab', 'c') differ; numbers count as their decimal text.
 */
export function idOf(...parts: readonly (string | number)[]): string {
  const key = parts.map((part) => `${String(part).length}:${part}`).join('');
  const hash = sha1(concat(NAMESPACE, utf8ToBytes(key.toWellFormed())));
  const bytes = hash.slice(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytesToHex(bytes);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** SHA-256 of a text's UTF-8 bytes, in hex. Lone surrogates count as U+FFFD. */
export function hashOf(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text.toWellFormed())));
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array {
  const joined = new Uint8Array(first.length + second.length);
  joined.set(first);
  joined.set(second, first.length);
  return joined;
}
