import type { IncomingMessage } from 'node:http';

import type { Payload, PayloadCodec } from '@temporalio/common';
import { z } from 'zod';

import { EngraphError } from './domain/failure.js';
import { serveLoopback, type LoopbackServer } from './loopback-server.js';

/** Payloads as Temporal's UI and CLI send them: protobuf's JSON form, bytes in base64. */
const body = z.object({
  payloads: z.array(z.object({ metadata: z.record(z.string(), z.base64()).default({}), data: z.base64().default('') })),
});

/** Most bytes of a request: a page of a history, many times over. */
const MOST_BYTES = 64 * 1024 * 1024;

/**
 * Temporal's codec server: `POST /decode` and `POST /encode`, by which the UI and the CLI show encrypted payloads to somebody
 * who has the keys. Only on 127.0.0.1, and of all web pages only for those of `uiOrigin` (such as `http://127.0.0.1:8233`).
 */
export async function serveCodec(codec: PayloadCodec, port: number, uiOrigin: string): Promise<LoopbackServer> {
  const cors = {
    'access-control-allow-origin': uiOrigin,
    'access-control-allow-methods': 'POST, OPTIONS',
    'access-control-allow-headers': 'content-type, x-namespace, authorization',
    vary: 'origin',
  };
  return await serveLoopback(port, '--port', async (request) => {
    const { origin } = request.headers;
    // A program sends no origin; a page that is not the UI must not read memories, whatever its browser makes of CORS.
    if (origin !== undefined && origin !== uiOrigin) return { status: 403, body: { error: `only ${uiOrigin} may ask` } };
    if (request.method === 'OPTIONS') return { status: 204, headers: cors };
    const work = request.method === 'POST' ? WORK[request.url ?? ''] : undefined;
    if (work === undefined) return { status: 404, headers: cors, body: { error: 'there are POST /decode and POST /encode' } };
    const { payloads } = body.parse(JSON.parse(await read(request)));
    return { status: 200, headers: cors, body: { payloads: (await codec[work](payloads.map(fromJson))).map(toJson) } };
  });
}

const WORK: Readonly<Record<string, 'decode' | 'encode'>> = { '/decode': 'decode', '/encode': 'encode' };

interface JsonPayload {
  readonly metadata: Readonly<Record<string, string>>;
  readonly data: string;
}

function fromJson({ metadata, data }: JsonPayload): Payload {
  const fields = Object.entries(metadata).map(([name, value]) => [name, Buffer.from(value, 'base64')] as const);
  return { metadata: Object.fromEntries(fields), data: Buffer.from(data, 'base64') };
}

function toJson({ metadata, data }: Payload): JsonPayload {
  const fields = Object.entries(metadata ?? {}).map(([name, value]) => [name, Buffer.from(value).toString('base64')] as const);
  return { metadata: Object.fromEntries(fields), data: Buffer.from(data ?? []).toString('base64') };
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MOST_BYTES) throw new EngraphError('too_large', `the request is over ${MOST_BYTES} bytes: ask for fewer payloads`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
