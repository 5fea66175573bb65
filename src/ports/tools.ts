import type { JsonObject } from '../domain/json.js';
import type { CallOptions } from './vector-store.js';

/** One tool as its server describes it. The words are the server's: data, never an instruction of ours. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its arguments. */
  readonly inputSchema: JsonObject;
}

/** What came of a call. `refused`: no such tool, or not with these arguments, and why; nothing was done. */
export interface ToolResult {
  readonly outcome: 'answered' | 'refused';
  readonly text: string;
}

/** What one call of a tool is given besides its arguments. */
export interface ToolCallOptions extends CallOptions {
  /** The same in every attempt of this call: by it a server knows an attempt repeated. */
  readonly idempotencyKey: string;
}

/** A tool, or the server it belongs to, that failed, timed out or can't be reached: no fault of memory or of the model. */
export class ToolFailure extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ToolFailure';
  }
}

/** One connection to a tool server. A call is sent once; its effect is at-least-once, since an activity may be repeated. */
export interface ToolSession {
  /** Every tool there is, in the server's order. Fails with `ToolFailure`. */
  list(options?: CallOptions): Promise<readonly Tool[]>;
  /** Calls a tool that `list` told of. Fails with `ToolFailure`. */
  call(name: string, args: JsonObject, options: ToolCallOptions): Promise<ToolResult>;
  /** Ends the connection, and the server where the session started it. */
  close(): Promise<void>;
}

/** The tool servers that an operator has configured. */
export interface Tools {
  /** Fails with `config` for a name that is not configured, with `ToolFailure` where the server can't be reached. */
  open(server: string, options?: CallOptions): Promise<ToolSession>;
}
