import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the proxy does instead of passing a request on; `hang` never answers, `drop` cuts the connection, `cut` cuts it in mid-answer. */
export type Fault =
  | 'hang'
  | 'drop'
  | 'cut'
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string };

/** A request as it came. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
}

/** A reverse proxy on 127.0.0.1 in front of a Qdrant server, under a path or none, with faults where a test wants them. */
export class QdrantProxy {
  readonly seen: Seen[] = [];
  /** Decides about each request that comes; undefined passes it on. */
  fault: (seen: Seen) => Fault | undefined = () => undefined;
  readonly #server = createServer((incoming, answer) => this.#serve(incoming, answer));
  readonly #target: URL;
  readonly #prefix: string;

  private constructor(target: string, prefix: string) {
    this.#target = new URL(target);
    this.#prefix = prefix;
  }

  /** Listens on a port of the system's choice. `prefix` is the path that the server sits behind, such as `/qdrant`. */
  static async start(target: string, prefix = ''): Promise<QdrantProxy> {
    const proxy = new QdrantProxy(target, prefix);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  /** Without the prefix. */
  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  #serve(incoming: IncomingMessage, answer: ServerResponse): void {
    const seen = { method: incoming.method ?? '', path: incoming.url ?? '', headers: incoming.headers };
    this.seen.push(seen);
    const fault = seen.path.startsWith(`${this.#prefix}/`)
      ? this.fault(seen)
      : { status: 404, body: '<html>no such site</html>' };
    if (fault === undefined) this.#pass(incoming, answer, seen.path.slice(this.#prefix.length));
    else if (fault === 'drop') incoming.socket.destroy();
    else if (fault === 'cut') {
      answer.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' }).write('{"result":');
      setImmediate(() => incoming.socket.destroy());
    } else if (fault !== 'hang') answer.writeHead(fault.status, { ...fault.headers }).end(fault.body ?? '');
  }

  #pass(incoming: IncomingMessage, answer: ServerResponse, path: string): void {
    const { hostname, port } = this.#target;
    const { method, headers } = incoming;
    const onward = request({ hostname, port, path, method, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    onward.on('error', () => answer.destroy());
    incoming.pipe(onward);
  }
}
