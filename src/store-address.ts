import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

import type { Config } from './config.js';
import { EngraphError } from './domain/failure.js';

/** A store, as a person names it to a command: `sqlite:PATH` or `qdrant:URL`. */
export type StoreAddress = { readonly kind: 'sqlite'; readonly path: string } | { readonly kind: 'qdrant'; readonly url: string };

/** Reads an address; `option` is what it was given by. A path is made absolute. Fails with `validation`. */
export function parseStoreAddress(text: string, option: string): StoreAddress {
  const colon = text.indexOf(':');
  const [kind, where] = [text.slice(0, Math.max(colon, 0)), text.slice(colon + 1)];
  if (kind === 'sqlite' && where !== '') return { kind, path: resolve(where) };
  if (kind === 'qdrant' && /^https?:\/\/[^/]/u.test(where)) return { kind, url: where.replace(/\/+$/u, '') };
  throw new EngraphError(
    'validation',
    `${option} is ${JSON.stringify(text)}; it must be sqlite:PATH, such as sqlite:.engraph/memory.db, or qdrant:URL, such as qdrant:http://127.0.0.1:6333`,
  );
}

/** The store that the configuration names. */
export const storeAddress = ({ store, qdrant }: Config): StoreAddress =>
  qdrant.url === undefined ? { kind: 'sqlite', path: store } : { kind: 'qdrant', url: qdrant.url };

/** How an address is shown. */
export const addressText = (address: StoreAddress): string =>
  address.kind === 'sqlite' ? `sqlite:${address.path}` : `qdrant:${address.url}`;

/** Fails with `not_found` for a file that is not there: an empty source would hide a wrong path. Servers tell it themselves. */
export function checkThere(address: StoreAddress): void {
  if (address.kind === 'sqlite' && !existsSync(address.path))
    throw new EngraphError('not_found', `there is no store at ${address.path}: correct the path`);
}
