import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';

/** The status of a POST to 127.0.0.1 under another host's name, which `fetch` won't send. */
export async function askRaw(port: number, path: string, host: string): Promise<number | undefined> {
  const asked = request({ port, path, host: '127.0.0.1', method: 'POST', headers: { host } });
  asked.end('{}');
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  answer.resume();
  return answer.statusCode;
}
