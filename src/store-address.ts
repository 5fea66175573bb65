import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

import { EngraphError } from './domain/failure.js';

/** A store, as a person names it to a command: `sqlite:PATH`. */
export interface StoreAddress {
  readonly kind: 'sqlite';
  readonly path: string;
}

/** Reads an address; `option` is what it was given by. A path is made absolute. Fails with `validation`. */
export function parseStoreAddress(text: string, option: string): StoreAddress {
  const colon = text.indexOf(':');
  const [kind, where] = [text.slice(0, Math.max(colon, 0)), text.slice(colon + 1)];
  if (kind === 'sqlite' && where !== '') return { kind, path: resolve(where) };
  throw new EngraphError(
    'validation',
    `${option} is ${JSON.stringify(text)}; it must be sqlite:PATH, such as sqlite:.engraph/memory.db`,
  );
}

/** How an address is shown. */
export const addressText = ({ kind, path }: StoreAddress): string => `${kind}:${path}`;

/** Fails with `not_found` for a file that is not there: an empty source would hide a wrong path. */
export function checkThere(address: StoreAddress): void {
  if (!existsSync(address.path)) throw new EngraphError('not_found', `there is no store at ${address.path}: correct the path`);
}
