import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request as it arrived. */
export interface SeenRequest {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Readonly<Record<string, unknown>>;
  /** The body's bytes as text. */
  readonly raw: string;
  /** Milliseconds by `performance.now()`. */
  readonly at: number;
}

/** What the server does with a request: an HTTP answer, silence, or a connection cut before or amid the answer. */
export type Answer =
  | { readonly status?: number; readonly headers?: Readonly<Record<string, string>>; readonly body: unknown }
  | 'hang'
  | 'drop'
  | 'drop amid the answer';

/** One answer a request, in order; a function decides itself, and one alone in place of a list answers every request. */
export type Responder = (request: SeenRequest) => Answer;
export type Script = readonly (Answer | Responder)[] | Responder;

/** A whole reply of the chat endpoint. */
export const chatReply = (
  content: string | null,
  more: { finishReason?: string; refusal?: string; usage?: object | null } = {},
): Answer => ({
  body: {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 0,
    model: 'scripted',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content, refusal: more.refusal ?? null },
        finish_reason: more.finishReason ?? 'stop',
      },
    ],
    ...(more.usage !== null && { usage: more.usage ?? { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 } }),
  },
});

/** An error in OpenAI's form. */
export const errorReply = (
  status: number,
  error: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>> = {},
): Answer => ({
  status,
  headers,
  body: { error },
});

/** How an embedding server writes numbers: as it is asked, as floats whatever is asked (case O12), or always in base64. */
export type Encoding = 'as asked' | 'floats' | 'base64';

/** An embedding endpoint that gives each text the function's vector, in reverse order of the input. */
export function embeddings(vectorOf: (text: string) => readonly number[], encoding: Encoding = 'as asked'): Responder {
  return ({ body }) => {
    const base64 = encoding === 'base64' || (encoding === 'as asked' && body['encoding_format'] === 'base64');
    const data = (body['input'] as readonly string[]).map((text, index) => {
      const vector = vectorOf(text);
      return {
        object: 'embedding',
        index,
        embedding: base64 ? Buffer.from(Float32Array.from(vector).buffer).toString('base64') : vector,
      };
    });
    return { body: { object: 'list', model: body['model'], data: data.reverse(), usage: { prompt_tokens: 1, total_tokens: 1 } } };
  };
}

/** An OpenAI-compatible server on a free loopback port that keeps every request and answers by script. */
export class ScriptedOpenAi {
  readonly requests: SeenRequest[] = [];
  readonly #server: Server;
  readonly #scripts: Readonly<Record<string, Script>>;
  readonly #answered = new Map<string, number>();
  readonly #unexpected: string[] = [];

  private constructor(server: Server, scripts: Readonly<Record<string, Script>>) {
    this.#server = server;
    this.#scripts = scripts;
  }

  static async start({
    chat = [],
    embed = [],
    models = [],
  }: {
    chat?: Script;
    embed?: Script;
    models?: Script;
  }): Promise<ScriptedOpenAi> {
    const server = createServer();
    const scripted = new ScriptedOpenAi(server, { '/v1/chat/completions': chat, '/v1/embeddings': embed, '/v1/models': models });
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      scripted.#serve(request, response).catch((error: unknown) => {
        scripted.#unexpected.push(String(error));
        response.destroy();
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return scripted;
  }

  /** Without `/v1`. */
  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get baseUrl(): string {
    return `${this.origin}/v1`;
  }

  /** Stops, and fails when something was asked that no script foresaw. */
  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    if (this.#unexpected.length > 0)
      throw new Error(`the scripted server was asked more than scripted: ${this.#unexpected.join('; ')}`);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const at = performance.now();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const raw = Buffer.concat(chunks).toString('utf8');
    const path = request.url ?? '';
    const seen: SeenRequest = { path, headers: request.headers, body: JSON.parse(raw || '{}') as SeenRequest['body'], raw, at };
    this.requests.push(seen);
    const answer = this.#next(seen);
    if (answer === 'hang') return;
    if (answer === 'drop') return void response.destroy();
    if (answer === 'drop amid the answer') {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{"choices":[', () => response.destroy());
      return;
    }
    response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers });
    response.end(JSON.stringify(answer.body));
  }

  #next(seen: SeenRequest): Answer {
    const script = this.#scripts[seen.path];
    if (typeof script === 'function') return script(seen);
    const turn = this.#answered.get(seen.path) ?? 0;
    this.#answered.set(seen.path, turn + 1);
    const step = script?.[turn];
    if (step === undefined) {
      this.#unexpected.push(`request ${turn + 1} to ${seen.path}`);
      return errorReply(501, { message: 'not scripted' }, { 'x-should-retry': 'false' });
    }
    return typeof step === 'function' ? step(seen) : step;
  }
}

/** Runs the body with a scripted server, and fails when the server was asked more than scripted. */
export async function withScriptedOpenAi(
  script: { chat?: Script; embed?: Script },
  body: (server: ScriptedOpenAi) => Promise<void>,
): Promise<void> {
  const server = await ScriptedOpenAi.start(script);
  try {
    await body(server);
  } catch (error) {
    await server.close().catch(() => {}); // the body's failure says more
    throw error;
  }
  await server.close();
}
