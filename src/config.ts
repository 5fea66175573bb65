import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

import { z } from 'zod';

import { EngraphError } from './domain/failure.js';
import { isTimeZone } from './domain/event-time.js';
import { MCP_NAME } from './domain/task.js';
import { readPayloadKeys, type PayloadKey } from './setup/payload-keys.js';
import { qdrantConfig, type QdrantConfig } from './setup/qdrant-config.js';
import { temporalTarget, type TemporalTarget } from './setup/temporal-target.js';

const count = (most: number) => z.string().regex(/^\d+$/).transform(Number).pipe(z.number().int().min(1).max(most));
const url = z.url({ protocol: /^https?$/ }).transform((text) => text.replace(/\/+$/, ''));
const path = z.string().min(1);
const visible = z.string().regex(/^[\x21-\x7e]+$/);
const deployment = z.string().regex(/^[\w-]{1,64}$/); // a dot would be read as the end of the name
const collection = z.string().regex(/^(?!.*--)\w[\w-]{0,63}(?<!-)$/); // two hyphens end it
const name = z.string().regex(/^[^\p{Cc}]{1,128}$/u);

const mcpServer = z.union([
  z.strictObject({
    command: z.string().min(1),
    args: z.array(z.string()).optional(),
    env: z.record(z.string(), z.string()).optional(),
  }),
  z.strictObject({ url: z.url({ protocol: /^https?$/ }) }),
]);
const mcpServers = z
  .string()
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue('not JSON');
      return z.NEVER;
    }
  })
  .pipe(z.record(z.string().regex(MCP_NAME), mcpServer));

/** Every setting that Engraph reads from the environment (Temporal's own TEMPORAL_* apart), with what it may be. */
const SETTINGS = {
  ENGRAPH_HOME: [path, 'a folder'],
  ENGRAPH_CACHE: [path, 'a folder'],
  ENGRAPH_STORE: [path, 'the path of a file'],
  QDRANT_URL: [url, 'an http or https URL such as http://127.0.0.1:6333'],
  QDRANT_API_KEY: [visible, 'a key without spaces or line ends'],
  ENGRAPH_COLLECTION_PREFIX: [collection, '1 to 64 letters, digits, underscores or single hyphens'],
  ENGRAPH_STORE_TIMEOUT_MS: [count(3_600_000), 'a whole number of milliseconds from 1 to 3600000'],
  ENGRAPH_LLM: [z.enum(['auto', 'openai', 'local', 'rules']), 'auto, openai, local or rules'],
  OPENAI_BASE_URL: [url, 'an http or https URL such as http://127.0.0.1:8080/v1'],
  OPENAI_API_KEY: [visible, 'a key without spaces or line ends'],
  ENGRAPH_CHAT_MODEL: [name, 'the name of a model'],
  ENGRAPH_EMBEDDER: [z.enum(['minilm', 'openai']), 'minilm or openai'],
  ENGRAPH_EMBEDDING_MODEL: [name, 'the name of a model'],
  ENGRAPH_EMBEDDING_DIMENSION: [count(16_384), 'a whole number from 1 to 16384'],
  ENGRAPH_MODEL_DIR: [path, 'a folder with model.onnx and tokenizer.json'],
  ENGRAPH_LLMLINGUA_DIR: [path, 'a folder with model.onnx and tokenizer.json'],
  ENGRAPH_PYTHON: [path, 'a Python 3 with pip'],
  ENGRAPH_TASK_QUEUE: [z.string().regex(/^[\w.-]{1,64}$/), '1 to 64 letters, digits, dots, dashes or underscores'],
  ENGRAPH_THREADS: [count(256), 'a whole number from 1 to 256'],
  ENGRAPH_MODEL_CONCURRENCY: [count(1000), 'a whole number from 1 to 1000'],
  ENGRAPH_MODEL_RPS: [z.coerce.number().positive().max(100_000), 'a number above 0, up to 100000'],
  ENGRAPH_MCP_SERVERS: [mcpServers, 'JSON { "name": { "command": "…", "args": […], "env": {…} } or { "url": "http://…" } }'],
  ENGRAPH_TIME_ZONE: [z.string().refine(isTimeZone), 'an IANA time zone such as Europe/Berlin'],
  ENGRAPH_TIMEOUT_MS: [count(3_600_000), 'a whole number of milliseconds from 1 to 3600000'],
  ENGRAPH_PAYLOAD_KEYS: [z.string(), 'id:key pairs'],
  ENGRAPH_PAYLOAD_KEYS_FILE: [path, 'the path of a file'],
  ENGRAPH_HEALTH_PORT: [count(65_535), 'a port from 1 to 65535'],
  TEMPORAL_DEPLOYMENT_NAME: [deployment, '1 to 64 letters, digits, dashes or underscores'],
  TEMPORAL_WORKER_BUILD_ID: [z.string().regex(/^[\w.-]{1,64}$/), '1 to 64 letters, digits, dots, dashes or underscores'],
} as const satisfies Record<string, readonly [z.ZodType, string]>;

/** Settings whose values are never shown, not even when they are refused. */
const SECRET: ReadonlySet<string> = new Set(['OPENAI_API_KEY', 'QDRANT_API_KEY', 'ENGRAPH_MCP_SERVERS', 'ENGRAPH_PAYLOAD_KEYS']);

type SettingName = keyof typeof SETTINGS;
type Settings = { readonly [K in SettingName]?: z.output<(typeof SETTINGS)[K][0]> };
/** Values that go before the environment's, under the same names: what a command's flags say. Undefined and '' say nothing. */
export type ConfigOverrides = { readonly [K in SettingName]?: string | undefined };

/** An OpenAI-compatible endpoint. No `baseUrl` means OpenAI's own, which is used only where a key was given for it. */
export interface Endpoint {
  /** Without a slash at its end. */
  readonly baseUrl?: string;
  /** Never printed. May be absent where there is a `baseUrl`: servers of one's own often want none. */
  readonly apiKey?: string;
  readonly model: string;
}

/** An MCP server of the operator's: a program that the worker starts for a round and speaks to over stdio, or an address (Streamable HTTP). */
export type McpServers = Readonly<Record<string, z.output<typeof mcpServer>>>;
export type LlmConfig = ({ readonly kind: 'openai' } & Endpoint) | { readonly kind: 'local' } | { readonly kind: 'rules' };
export type EmbedderConfig =
  | {
      readonly kind: 'minilm';
      /** Holds model.onnx and tokenizer.json; absent: fetched into the cache. */ readonly modelDir?: string;
    }
  | ({ readonly kind: 'openai'; readonly dimension: number } & Endpoint);

/** All that Engraph is told from outside, checked and frozen. Paths are absolute. */
export interface Config {
  /** State of this installation: dev server, store, logs. Default `.engraph` in the current folder. */
  readonly home: string;
  /** What is fetched once for all installations of a user. Default `engraph` in the user's cache folder. */
  readonly cache: string;
  /** The SQLite file of the embedded store. Default `memory.db` in `home`. */
  readonly store: string;
  /** Qdrant, which is the store where it has a `url`. The key is never printed. */
  readonly qdrant: QdrantConfig;
  /** Default: `openai` where OPENAI_BASE_URL or OPENAI_API_KEY is set, else `rules`; `local` only when asked for. */
  readonly llm: LlmConfig;
  /** Default `minilm`: all-MiniLM-L6-v2, 384 dimensions (facts/models.md 1). */
  readonly embedder: EmbedderConfig;
  /** Task queues by what runs on them. Default `engraph`, with `-store`, `-text` and `-model` for the three kinds of activities. */
  readonly queues: { readonly workflow: string; readonly store: string; readonly text: string; readonly model: string };
  /** Threads of the embedding model in one process. Default 1: on a busy machine two are slower (facts/models.md 1.6). */
  readonly threads: number;
  /** Model calls at once in one worker. Default 4; 1 for the local model, which answers one at a time. */
  readonly modelConcurrency: number;
  /** Model calls a second over all workers, kept by the server. Default: no limit. */
  readonly modelRps?: number;
  /** Longest wait for one model call, in milliseconds. Default 120000; 600000 for the local model (facts/models.md 3.3: up to 105 s for one call). */
  readonly modelTimeoutMs: number;
  /** MCP servers that the chat agent may be told to use, by name (docs/agent.md). Default: none. Arguments, `env` and URLs may hold secrets: never printed. */
  readonly mcpServers: McpServers;
  /** The clock that messages' times without a zone are of. Default UTC. */
  readonly timeZone: string;
  /** Folder of an LLMLingua-2 classifier in ONNX, which then scores the words that compression keeps. Default: the embedding model's attention. */
  readonly llmLinguaDir?: string;
  /** Python that fetches and runs what is on its registry only. Default `python3`, on Windows `python`. */
  readonly python: string;
  readonly temporal: TemporalTarget;
  /** Keys of payload encryption, the newest first (`readPayloadKeys`). Default: nothing is encrypted. */
  readonly payloadKeys?: readonly [PayloadKey, ...PayloadKey[]];
  /** Port on 127.0.0.1 where a worker tells its health. Default: none. */
  readonly healthPort?: number;
  /** The version that a worker serves as, by Temporal's worker versioning; the names are those of Temporal's own worker controller. Default: unversioned. */
  readonly deployment?: { readonly name: string; readonly buildId: string };
}

/** The model both papers report on, where ENGRAPH_CHAT_MODEL is not set. */
const CHAT_MODEL = 'gpt-4o-mini';
/** The dimensions that OpenAI documents for its models; the first is the default model. */
const EMBEDDING_DIMENSIONS = {
  'text-embedding-3-small': 1536,
  'text-embedding-3-large': 3072,
  'text-embedding-ada-002': 1536,
};

/**
 * The one reader of the environment. An empty value counts as not set. Fails with `config` for an ENGRAPH_ name that does not
 * exist, a value that can't be used, and settings that don't go together; the message names the setting and the way out.
 */
export function loadConfig(env: NodeJS.ProcessEnv = process.env, overrides: ConfigOverrides = {}): Config {
  const given = { ...valuesOf(env), ...valuesOf(overrides) };
  const set = readSettings(given);
  const home = resolve(set.ENGRAPH_HOME ?? '.engraph');
  const llm = chooseLlm(set);
  const queue = set.ENGRAPH_TASK_QUEUE ?? 'engraph';
  return freeze({
    home,
    cache: resolve(set.ENGRAPH_CACHE ?? join(userCache(given), 'engraph')),
    store: resolve(set.ENGRAPH_STORE ?? join(home, 'memory.db')),
    qdrant: qdrantConfig(set, env['QDRANT_URL'] === ''),
    llm,
    embedder: chooseEmbedder(set),
    queues: { workflow: queue, store: `${queue}-store`, text: `${queue}-text`, model: `${queue}-model` },
    threads: set.ENGRAPH_THREADS ?? 1,
    modelConcurrency: set.ENGRAPH_MODEL_CONCURRENCY ?? (llm.kind === 'local' ? 1 : 4),
    ...(set.ENGRAPH_MODEL_RPS !== undefined && { modelRps: set.ENGRAPH_MODEL_RPS }),
    modelTimeoutMs: set.ENGRAPH_TIMEOUT_MS ?? (llm.kind === 'local' ? 600_000 : 120_000),
    mcpServers: set.ENGRAPH_MCP_SERVERS ?? {},
    timeZone: set.ENGRAPH_TIME_ZONE ?? 'UTC',
    ...(set.ENGRAPH_LLMLINGUA_DIR !== undefined && { llmLinguaDir: resolve(set.ENGRAPH_LLMLINGUA_DIR) }),
    python: set.ENGRAPH_PYTHON ?? (process.platform === 'win32' ? 'python' : 'python3'),
    temporal: temporalTarget(given),
    ...serviceOf(set),
  });
}

function valuesOf(named: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(named).filter((entry): entry is [string, string] => Boolean(entry[1])));
}

function readSettings(given: Readonly<Record<string, string>>): Settings {
  const unknown = Object.keys(given).find((key) => key.startsWith('ENGRAPH_') && !(key in SETTINGS));
  if (unknown !== undefined) {
    const known = Object.keys(SETTINGS).filter((key) => key.startsWith('ENGRAPH_'));
    throw new EngraphError('config', `${unknown} is not a setting of Engraph. There are ${known.join(', ')}`, {
      details: { setting: unknown },
    });
  }
  const read: Record<string, unknown> = {};
  for (const [key, [schema, allowed]] of Object.entries(SETTINGS)) {
    const value = given[key];
    if (value === undefined) continue;
    const parsed = schema.safeParse(value);
    if (!parsed.success) {
      const shown = SECRET.has(key) ? '' : ` "${withoutCredentials(value)}"`;
      throw new EngraphError('config', `${key}${shown} can't be used: it must be ${allowed}`, {
        details: { setting: key },
      });
    }
    read[key] = parsed.data;
  }
  return read as Settings; // each value came out of the schema of its own name
}

/** What a service in production is given and a person's own machine is not. */
function serviceOf(set: Settings): Pick<Config, 'payloadKeys' | 'healthPort' | 'deployment'> {
  const payloadKeys = readPayloadKeys(set.ENGRAPH_PAYLOAD_KEYS, set.ENGRAPH_PAYLOAD_KEYS_FILE);
  const { TEMPORAL_DEPLOYMENT_NAME: name, TEMPORAL_WORKER_BUILD_ID: buildId, ENGRAPH_HEALTH_PORT: healthPort } = set;
  if ((name === undefined) !== (buildId === undefined)) {
    const setting = name === undefined ? 'TEMPORAL_DEPLOYMENT_NAME' : 'TEMPORAL_WORKER_BUILD_ID';
    throw new EngraphError(
      'config',
      `${setting} is not set, but its fellow is: a version needs a deployment and a build, set both`,
      {
        details: { setting },
      },
    );
  }
  return {
    ...(payloadKeys !== undefined && { payloadKeys }),
    ...(healthPort !== undefined && { healthPort }),
    ...(name !== undefined && buildId !== undefined && { deployment: { name, buildId } }),
  };
}

function chooseLlm(set: Settings): LlmConfig {
  const asked = set.ENGRAPH_LLM ?? 'auto';
  const reachable = set.OPENAI_BASE_URL !== undefined || set.OPENAI_API_KEY !== undefined;
  const kind = asked !== 'auto' ? asked : reachable ? 'openai' : 'rules';
  if (kind !== 'openai') return { kind };
  return { kind, ...endpoint(set, 'ENGRAPH_LLM=openai', set.ENGRAPH_CHAT_MODEL ?? CHAT_MODEL) };
}

function chooseEmbedder(set: Settings): EmbedderConfig {
  const model = set.ENGRAPH_EMBEDDING_MODEL;
  if (set.ENGRAPH_EMBEDDER !== 'openai') {
    const stray =
      model !== undefined
        ? 'ENGRAPH_EMBEDDING_MODEL'
        : set.ENGRAPH_EMBEDDING_DIMENSION !== undefined
          ? 'ENGRAPH_EMBEDDING_DIMENSION'
          : undefined;
    if (stray !== undefined)
      throw new EngraphError('config', `${stray} is for ENGRAPH_EMBEDDER=openai only: set that too, or unset ${stray}`, {
        details: { setting: stray },
      });
    return { kind: 'minilm', ...(set.ENGRAPH_MODEL_DIR !== undefined && { modelDir: resolve(set.ENGRAPH_MODEL_DIR) }) };
  }
  const chosen = model ?? 'text-embedding-3-small';
  const dimension = set.ENGRAPH_EMBEDDING_DIMENSION ?? new Map(Object.entries(EMBEDDING_DIMENSIONS)).get(chosen);
  if (dimension === undefined) {
    throw new EngraphError(
      'config',
      `ENGRAPH_EMBEDDING_MODEL is "${chosen}", whose dimension is not known here: set ENGRAPH_EMBEDDING_DIMENSION`,
      {
        details: { setting: 'ENGRAPH_EMBEDDING_DIMENSION' },
      },
    );
  }
  return { kind: 'openai', dimension, ...endpoint(set, 'ENGRAPH_EMBEDDER=openai', chosen) };
}

/** A server of the user's own, or OpenAI's where there is a key for it; never a public host that nobody named. */
function endpoint(set: Settings, why: string, model: string): Endpoint {
  const { OPENAI_BASE_URL: baseUrl, OPENAI_API_KEY: apiKey } = set;
  if (baseUrl === undefined && apiKey === undefined) {
    throw new EngraphError(
      'config',
      `${why} needs OPENAI_BASE_URL (a server of your own) or OPENAI_API_KEY (OpenAI's): set one of them`,
      {
        details: { setting: 'OPENAI_BASE_URL' },
      },
    );
  }
  return { ...(baseUrl !== undefined && { baseUrl }), ...(apiKey !== undefined && { apiKey }), model };
}

/** Where this user's programs keep what can be fetched again, by the custom of the system. */
function userCache(env: Readonly<Record<string, string>>): string {
  if (process.platform === 'win32') return env['LOCALAPPDATA'] ?? join(homedir(), 'AppData', 'Local');
  if (process.platform === 'darwin') return join(env['HOME'] ?? homedir(), 'Library', 'Caches');
  return env['XDG_CACHE_HOME'] ?? join(env['HOME'] ?? homedir(), '.cache');
}

/** URLs may carry `user:password@`, which is a secret too. */
const withoutCredentials = (value: string): string => value.replace(/\/\/[^/@]*@/, '//…@');

function freeze<T extends object>(value: T): T {
  for (const inner of Object.values(value)) {
    // Certificates are byte arrays, which can't be frozen.
    if (typeof inner === 'object' && inner !== null && !ArrayBuffer.isView(inner)) freeze(inner as object);
  }
  return Object.freeze(value);
}
