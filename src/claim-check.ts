import type { Payload, PayloadCodec } from '@temporalio/common';

import { isClaim, isInlay, refTo } from './domain/claim.js';
import type { Texts } from './store/texts.js';

/** What a payload must hold somewhere before it is worth reading as JSON. */
const MARKS = ['"engraph:claim"', '"engraph:inlay"'];

const JSON_ENCODING = 'json/plain';

/**
 * Temporal's claim check pattern for memory text. On its way out of our worker a claim is kept in the store and leaves its
 * reference in history; an inlay, which only `execute` inputs hold, is replaced by the kept text. Histories so hold text only
 * where a caller's agent must read it. Decoding changes nothing: activities of ours read references themselves, which is why
 * neither a client nor an agent's worker needs this codec. A store that is down fails the workflow task, and Temporal tries it
 * again. Goes before an encrypting codec.
 */
export class ClaimCheck implements PayloadCodec {
  readonly #texts: Pick<Texts, 'keep' | 'read'>;

  constructor(texts: Pick<Texts, 'keep' | 'read'>) {
    this.#texts = texts;
  }

  async encode(payloads: Payload[]): Promise<Payload[]> {
    return await Promise.all(payloads.map((payload) => this.#encodeOne(payload)));
  }

  decode(payloads: Payload[]): Promise<Payload[]> {
    return Promise.resolve(payloads);
  }

  async #encodeOne(payload: Payload): Promise<Payload> {
    const { data, metadata } = payload;
    if (data == null || text(metadata?.['encoding']) !== JSON_ENCODING) return payload;
    const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    if (!MARKS.some((mark) => bytes.includes(mark))) return payload;
    const replaced = await this.#replace(JSON.parse(bytes.toString('utf8')));
    return { ...payload, data: Buffer.from(JSON.stringify(replaced), 'utf8') };
  }

  async #replace(value: unknown): Promise<unknown> {
    if (Array.isArray(value)) return await Promise.all(value.map((element) => this.#replace(element)));
    if (typeof value !== 'object' || value === null) return value;
    if (isClaim(value)) return refTo(await this.#texts.keep(value['engraph:claim'].space, value['engraph:claim'].text));
    if (isInlay(value)) return await this.#texts.read(value['engraph:inlay'].space, value['engraph:inlay'].ref);
    const entries = await Promise.all(
      Object.entries(value).map(async ([key, inner]) => [key, await this.#replace(inner)] as const),
    );
    return Object.fromEntries(entries);
  }
}

const text = (bytes: Uint8Array | null | undefined): string => (bytes == null ? '' : Buffer.from(bytes).toString('utf8'));
