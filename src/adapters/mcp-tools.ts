import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { CallToolResult, Tool as McpTool } from '@modelcontextprotocol/sdk/types.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';

import { EngraphError } from '../domain/failure.js';
import type { JsonObject } from '../domain/json.js';
import { ToolFailure, type Tool, type ToolCallOptions, type ToolResult, type Tools, type ToolSession } from '../ports/tools.js';
import type { CallOptions } from '../ports/vector-store.js';

/** A server to start and speak to over stdio, or one that listens (Streamable HTTP). */
export type McpServer =
  | {
      readonly command: string;
      readonly args?: readonly string[] | undefined;
      readonly env?: Readonly<Record<string, string>> | undefined;
    }
  | { readonly url: string };

/** Longest wait for a connection or one answer, in milliseconds: the SDK's own default. */
const TIMEOUT_MS = 60_000;

/** Pages of `tools/list` that a server may have; one with more would never end. */
const MOST_PAGES = 20;

/** Characters of an error of a server's that are told on. */
const LONGEST_ERROR = 500;

/** MCP's key for metadata of a client's own: prefix, slash, name. */
const IDEMPOTENCY_KEY = 'engraph/idempotency-key';

/**
 * Tools of MCP servers, each by the name the operator gave it. A session is one connection, and for `command` one process of
 * its own with only the variables that the SDK deems safe and those configured; both end with `close`. Arguments are checked
 * against the tool's schema before anything is sent. Each call carries its idempotency key in `_meta`.
 */
export class McpTools implements Tools {
  readonly #servers: ReadonlyMap<string, McpServer>;
  readonly #timeoutMs: number;

  constructor(servers: Readonly<Record<string, McpServer>>, { timeoutMs = TIMEOUT_MS }: { readonly timeoutMs?: number } = {}) {
    this.#servers = new Map(Object.entries(servers));
    this.#timeoutMs = timeoutMs;
  }

  async open(server: string, options: CallOptions = {}): Promise<ToolSession> {
    const configured = this.#servers.get(server);
    if (configured === undefined) {
      const known = [...this.#servers.keys()].join(', ') || 'none';
      throw new EngraphError(
        'config',
        `this worker knows no MCP server "${server}" (it knows: ${known}); name it in ENGRAPH_MCP_SERVERS`,
        {
          details: { server },
        },
      );
    }
    const client = new Client({ name: 'engraph', version: '1' });
    try {
      await client.connect(transportTo(configured), { timeout: this.#timeoutMs, ...options });
    } catch (error) {
      await client.close();
      throw failureOf(error, `the MCP server "${server}" can't be reached`, options);
    }
    return new McpSession(client, server, this.#timeoutMs);
  }
}

function transportTo(server: McpServer): Transport {
  // The SDK's own class is not assignable to its interface under exactOptionalPropertyTypes.
  if ('url' in server) return new StreamableHTTPClientTransport(new URL(server.url)) as Transport;
  const { command, args = [], env } = server;
  return new StdioClientTransport({ command, args: [...args], ...(env && { env: { ...env } }) });
}

class McpSession implements ToolSession {
  readonly #client: Client;
  readonly #server: string;
  readonly #timeout: number;
  readonly #schemas = new AjvJsonSchemaValidator();
  readonly #listed = new Map<string, McpTool>();

  constructor(client: Client, server: string, timeout: number) {
    this.#client = client;
    this.#server = server;
    this.#timeout = timeout;
  }

  async list(options: CallOptions = {}): Promise<readonly Tool[]> {
    try {
      let cursor: string | undefined;
      let pages = 0;
      do {
        if (++pages > MOST_PAGES) throw new Error(`there are more than ${MOST_PAGES} pages of them`);
        const { tools, nextCursor } = await this.#client.listTools(cursor === undefined ? {} : { cursor }, this.#limits(options));
        for (const tool of tools) this.#listed.set(tool.name, tool);
        cursor = nextCursor;
      } while (cursor !== undefined);
    } catch (error) {
      throw failureOf(error, `the MCP server "${this.#server}" does not tell its tools`, options);
    }
    return [...this.#listed.values()].map(({ name, description = '', inputSchema }) => ({
      name,
      description,
      inputSchema: inputSchema as unknown as JsonObject,
    }));
  }

  async call(name: string, args: JsonObject, { idempotencyKey, ...options }: ToolCallOptions): Promise<ToolResult> {
    const tool = this.#listed.get(name);
    if (tool === undefined)
      return {
        outcome: 'refused',
        text: `there is no tool "${name}"; there are ${[...this.#listed.keys()].join(', ') || 'none'}`,
      };
    const what = `the tool "${name}" of the MCP server "${this.#server}" failed`;
    try {
      const checked = this.#schemas.getValidator(tool.inputSchema as Parameters<AjvJsonSchemaValidator['getValidator']>[0])(args);
      if (!checked.valid)
        return { outcome: 'refused', text: `the arguments don't fit the tool's schema: ${checked.errorMessage}` };
      const request = { name, arguments: { ...args }, _meta: { [IDEMPOTENCY_KEY]: idempotencyKey } };
      const result = (await this.#client.callTool(request, undefined, this.#limits(options))) as CallToolResult;
      const text = textOf(result);
      if (result.isError !== true) return { outcome: 'answered', text };
      if (refusesArguments(text)) return { outcome: 'refused', text };
      throw new ToolFailure(`${what}: ${beginningOf(text)}`);
    } catch (error) {
      if (error instanceof ToolFailure) throw error;
      const why = messageOf(error);
      if (refusesArguments(why)) return { outcome: 'refused', text: why };
      throw failureOf(error, what, options);
    }
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  #limits(options: CallOptions) {
    return { timeout: this.#timeout, ...options };
  }
}

/** Servers say so by the JSON-RPC code for invalid parameters, in an error or, as newer ones do, in a result's text. */
const refusesArguments = (why: string): boolean => why.includes('-32602') && !/output|structured content/iu.test(why);

/** A result's text; what is no text is named by its kind. */
function textOf({ content = [], structuredContent }: CallToolResult): string {
  if (content.length === 0 && structuredContent !== undefined) return JSON.stringify(structuredContent);
  return content
    .map((part) => {
      if (part.type === 'text') return part.text;
      if (part.type === 'resource' && 'text' in part.resource) return part.resource.text;
      return part.type === 'resource_link' ? part.uri : `[${part.type}]`;
    })
    .join('\n');
}

function failureOf(error: unknown, what: string, { signal }: CallOptions): unknown {
  if (signal?.aborted === true) return signal.reason;
  return new ToolFailure(`${what}: ${beginningOf(messageOf(error))}`, { cause: error });
}

/** A failed start is told by its code alone: its message holds the command. */
function messageOf(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).syscall === undefined ? undefined : (error as NodeJS.ErrnoException).code;
  return code ?? (error instanceof Error ? error.message : String(error));
}

const beginningOf = (text: string): string =>
  text.length > LONGEST_ERROR ? `${text.slice(0, LONGEST_ERROR).toWellFormed()}…` : text;
