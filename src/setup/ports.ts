import { connect, createServer } from 'node:net';

const LOOPBACK = '127.0.0.1';

/** A port of 127.0.0.1 that nobody listens on: the preferred one if it is free, else one of the system's choice. */
export async function freePort(preferred?: number): Promise<number> {
  return (preferred === undefined ? undefined : await tryListen(preferred)) ?? (await tryListen(0)) ?? fail();
}

/** Whether something accepts connections there. */
export async function accepts(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect({ port, host: LOOPBACK, timeout: 2000 });
    const done = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => done(true));
    socket.once('error', () => done(false));
    socket.once('timeout', () => done(false));
  });
}

async function tryListen(port: number): Promise<number | undefined> {
  return await new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen({ port, host: LOOPBACK, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : undefined));
    });
  });
}

function fail(): never {
  throw new Error(`no port of ${LOOPBACK} is free`);
}
