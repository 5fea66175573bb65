import { EngraphError } from '../domain/failure.js';

/** Where a Qdrant server is, taken apart. */
export interface QdrantAddress {
  /** With its port, without a path: `https://store.example:443`. */
  readonly origin: string;
  readonly port: number;
  /** A reverse proxy's path, `/qdrant`; empty where there is none. */
  readonly prefix: string;
  /** Origin and prefix: how it is shown and named in messages. */
  readonly shown: string;
  /** Whether it is this machine. */
  readonly isLoopback: boolean;
}

/** Qdrant's own port for REST, where an http URL names none. */
const REST_PORT = 6333;

/**
 * Reads QDRANT_URL: `https` without a port is 443, and a path stays in front of every request (case O40); the client by itself
 * would go to 6333 and drop the path. Fails with `config` for what is no http or https URL, and for one with a user name or query.
 */
export function qdrantAddress(url: string): QdrantAddress {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^https?:$/u.test(parsed.protocol)) {
    throw refused(`QDRANT_URL ${JSON.stringify(url.slice(0, 80))} is no address: write it as http://127.0.0.1:6333`);
  }
  if (parsed.username !== '' || parsed.password !== '' || parsed.search !== '' || parsed.hash !== '') {
    throw refused(
      `QDRANT_URL of ${parsed.host} has a user name, a query or a fragment: leave them out; a key goes into QDRANT_API_KEY`,
    );
  }
  // URL drops a port that is the scheme's own, so `http://host:80` has to be told from `http://host` by the text.
  const named = parsed.port !== '' || /^\w+:\/\/[^/]*:\d+(?:\/|$)/u.test(url.trim());
  const ownPort = parsed.protocol === 'https:' ? 443 : named ? 80 : REST_PORT;
  const port = parsed.port === '' ? ownPort : Number(parsed.port);
  const prefix = parsed.pathname.replace(/\/+$/u, '');
  const origin = `${parsed.protocol}//${parsed.hostname}:${port}`;
  return { origin, port, prefix, shown: `${origin}${prefix}`, isLoopback: LOOPBACK.test(parsed.hostname) };
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/u;

const refused = (message: string): EngraphError => new EngraphError('config', message, { details: { setting: 'QDRANT_URL' } });
