import { accepts, freePort } from '../../src/setup/ports.js';
import { runService, type Service } from '../../src/setup/service.js';

/** A service as small as one can be: listens on the port it is given. */
const LISTEN = "require('node:net').createServer().listen(Number(process.argv[1]), '127.0.0.1')";

/** Finds or starts that service, or with `code` another program that gets the port as its argument. */
export async function echoService(
  home: string,
  options: { detached?: boolean; code?: string } = {},
): Promise<Service<{ port: number }>> {
  return await runService<{ port: number }>({
    name: 'echo',
    home,
    detached: options.detached ?? false,
    failure: 'temporal_unavailable',
    startsWithinMs: 20_000,
    answers: async ({ port }) => await accepts(port),
    plan: async () => {
      const port = await freePort();
      return { command: process.execPath, args: ['-e', options.code ?? LISTEN, String(port)], details: { port } };
    },
  });
}
