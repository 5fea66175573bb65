import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { EngraphError } from './domain/failure.js';

/** What a request came to. */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A server that runs. */
export interface LoopbackServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Names by which a program on this machine asks; another name in `Host` is a page of somebody else's that was led here (DNS rebinding). */
const OWN_NAMES = /^(127\.0\.0\.1|localhost)(:\d+)?$/;

/**
 * Answers JSON over HTTP on 127.0.0.1 only; port 0 takes a free one. A request under another host's name is refused, and an
 * answer that throws becomes a 400 with the failure's message. Fails with `config`, naming `setting`, where the port is taken.
 */
export async function serveLoopback(
  port: number,
  setting: string,
  answer: (request: IncomingMessage) => Promise<Answer> | Answer,
): Promise<LoopbackServer> {
  const server = createServer((request, response) => {
    void reply(request, answer).then(({ status, body, headers = {} }) => {
      response.writeHead(status, { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) });
      response.end(body === undefined ? undefined : `${JSON.stringify(body)}\n`);
    });
  });
  await listening(server, port, setting);
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function reply(request: IncomingMessage, answer: (request: IncomingMessage) => Promise<Answer> | Answer): Promise<Answer> {
  if (!OWN_NAMES.test(request.headers.host ?? '')) return { status: 403, body: { error: 'ask as 127.0.0.1 or localhost' } };
  try {
    return await answer(request);
  } catch (error) {
    return { status: 400, body: { error: error instanceof Error ? error.message : String(error) } };
  }
}

async function listening(server: Server, port: number, setting: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  }).catch((cause: unknown) => {
    throw new EngraphError('config', `port ${port} on 127.0.0.1 can't be listened on, set ${setting} to a free one`, { cause });
  });
}
