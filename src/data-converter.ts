import { fileURLToPath } from 'node:url';

import type { DataConverter, PayloadCodec } from '@temporalio/common';

import { EncryptingCodec } from './codec.js';
import type { Config } from './config.js';

/** The module that puts failures' messages into payloads; bundled with the workflows where payloads are encrypted. */
export const ENCODED_FAILURES = fileURLToPath(new URL('./encoded-failures.mjs', import.meta.url));

/**
 * How this configuration's payloads go to Temporal and back, for a client as for a worker: encrypted, and messages of failures
 * with them, where there are keys; else plainly. `before` are codecs that have to see the payloads unencrypted.
 */
export function dataConverterOf({ payloadKeys }: Pick<Config, 'payloadKeys'>, ...before: PayloadCodec[]): DataConverter {
  return {
    payloadCodecs: [...before, new EncryptingCodec(payloadKeys ?? [])],
    ...(payloadKeys !== undefined && { failureConverterPath: ENCODED_FAILURES }),
  };
}
