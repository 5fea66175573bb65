import { qdrantAddress } from '../adapters/qdrant-address.js';
import type { Config, EmbedderConfig, Endpoint, LlmConfig } from '../config.js';

/** Every setting in force by a name for people, in the order to show them. No key, no password, no token is in it. */
export function describeConfig(config: Config): Record<string, string> {
  return {
    home: config.home,
    cache: config.cache,
    store: describeStore(config),
    'language model': describeLlm(config.llm),
    embedder: describeEmbedder(config.embedder, config.cache),
    temporal: describeTemporal(config),
    'task queues': Object.values(config.queues).join(', '),
    'threads of the embedder': String(config.threads),
    'model calls at once': String(config.modelConcurrency),
    'model calls a second': config.modelRps === undefined ? 'no limit' : String(config.modelRps),
    'time-out of a model call': `${config.modelTimeoutMs} ms`,
    'MCP servers': Object.keys(config.mcpServers).join(', ') || 'none',
    'zone of times without one': config.timeZone,
    'compression scored by': config.llmLinguaDir ?? (config.embedder.kind === 'minilm' ? 'all-MiniLM-L6-v2' : 'stop words'),
    python: config.python,
    'payload encryption': describeKeys(config),
    'health told at': config.healthPort === undefined ? 'no port' : `127.0.0.1:${config.healthPort}`,
    'worker version': config.deployment === undefined ? 'none' : `${config.deployment.name}, build ${config.deployment.buildId}`,
  };
}

/** Where the memory is: a file, or a server with the beginning of its collection's name. */
export function describeStore({ store, qdrant }: Config): string {
  if (qdrant.url === undefined) return store;
  const { shown } = qdrantAddress(qdrant.url);
  return `Qdrant at ${shown}, collection ${qdrant.prefix}--…, ${qdrant.apiKey === undefined ? 'no key' : 'with a key'}, time-out ${qdrant.timeoutMs} ms`;
}

function describeKeys({ payloadKeys }: Config): string {
  if (payloadKeys === undefined) return 'off';
  const [newest, ...older] = payloadKeys.map(({ id }) => id);
  return `key ${newest} encrypts${older.length === 0 ? '' : `, ${older.join(', ')} decrypt too`}`;
}

function describeLlm(llm: LlmConfig): string {
  if (llm.kind === 'openai') return `openai: ${describeEndpoint(llm)}`;
  return llm.kind === 'local' ? 'local: qwen2.5-coder-1.5b on this machine' : 'rules: no LLM at all';
}

function describeEmbedder(embedder: EmbedderConfig, cache: string): string {
  if (embedder.kind === 'openai') return `openai: ${describeEndpoint(embedder)}, ${embedder.dimension} dimensions`;
  return `all-MiniLM-L6-v2 from ${embedder.modelDir ?? cache}`;
}

function describeEndpoint({ baseUrl, apiKey, model }: Endpoint): string {
  return `${model} at ${baseUrl === undefined ? "OpenAI's own endpoint" : withoutSecrets(baseUrl)}, ${apiKey === undefined ? 'no key' : 'with a key'}`;
}

function describeTemporal({ temporal, home }: Config): string {
  if (temporal.kind === 'dev') return `dev server with its state in ${home}, namespace ${temporal.namespace}`;
  const { address, apiKey, tls } = temporal.connectionOptions;
  const secured = [...(tls ? ['TLS'] : []), ...(apiKey === undefined ? [] : ['with a key'])];
  return [`${address}, namespace ${temporal.namespace}`, ...secured].join(', ');
}

/** Without user, password and query, any of which may be a secret. */
function withoutSecrets(baseUrl: string): string {
  const { protocol, host, pathname } = new URL(baseUrl);
  return `${protocol}//${host}${pathname}`;
}
