import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';

import { createChatAgent } from '../activities/chat-agent.js';
import { createConsolidationActivities } from '../activities/consolidation.js';
import type { Activities } from '../activities/contract.js';
import { createFactActivities } from '../activities/facts.js';
import type { Memory } from '../activities/formation.js';
import { createKnowledgeActivities } from '../activities/knowledge.js';
import { createLanguageActivities } from '../activities/language.js';
import { createRecallActivities } from '../activities/recall.js';
import { createRipeningActivities } from '../activities/ripening.js';
import { createSensingActivities } from '../activities/sensing.js';
import { createGateActivities } from '../activities/sleep-gate.js';
import { createParkedActivities } from '../activities/sleep-parked.js';
import { createPlanningActivities, plansSeen } from '../activities/sleep-planning.js';
import { createReconcileActivities } from '../activities/sleep-reconcile.js';
import { createTurnActivities } from '../activities/turns.js';
import { EmbeddingCache } from './adapters/embedding-cache.js';
import { McpTools } from './adapters/mcp-tools.js';
import { MlKMeans } from './adapters/ml-kmeans.js';
import { countO200k } from './adapters/o200k.js';
import { OnnxEmbedder } from './adapters/onnx.js';
import { OpenAiChatModel } from './adapters/openai-chat.js';
import { OpenAiEmbedder } from './adapters/openai-embedder.js';
import { QdrantVectorStore } from './adapters/qdrant.js';
import { RulesModel } from './adapters/rules.js';
import { SimilaritySegmenter } from './adapters/similarity-segmenter.js';
import { SqliteVectorStore } from './adapters/sqlite.js';
import { WholeTexts } from './adapters/whole-texts.js';
import type { Config } from './config.js';
import type { Compressor } from './ports/compressor.js';
import type { Embedder } from './ports/embedder.js';
import type { LanguageModel } from './ports/language-model.js';
import type { Segmenter } from './ports/segmenter.js';
import type { Tools } from './ports/tools.js';
import type { VectorStore } from './ports/vector-store.js';
import { ensureLocalLlm } from './setup/local-llm.js';
import { ensureMiniLm } from './setup/minilm.js';
import type { OnProgress } from './setup/progress.js';
import { checkThere, storeAddress, type StoreAddress } from './store-address.js';
import { Drafts } from './store/drafts.js';
import { NodeStore } from './store/nodes.js';
import { Recall } from './store/recall.js';
import { Texts } from './store/texts.js';
import { TurnStore } from './store/turns.js';

/** A memory opened: the store, and what reads and writes it in business words. */
export interface OpenMemory extends Memory {
  readonly embedder: Embedder;
  readonly drafts: Drafts;
  readonly turns: TurnStore;
  close(): Promise<void>;
}

/**
 * Opens the store and the embedder that the configuration names; what has to be fetched is fetched first. Fails with `config`,
 * `embedding_model` or `embedding_dimension` where the store was made with another embedder.
 */
export async function openMemory(config: Config, onProgress?: OnProgress): Promise<OpenMemory> {
  const embedder = new EmbeddingCache(await openEmbedder(config, onProgress));
  const store = await openStoreAt(storeAddress(config), config);
  try {
    await store.ensure(embedder.identity);
  } catch (error) {
    await store.close();
    await embedder.close();
    throw error;
  }
  return memoryOver(store, embedder);
}

/** The store at an address, created where there is none; it has not been told its embedding yet. Fails with `config`. */
export async function openStoreAt(address: StoreAddress, { qdrant }: Config): Promise<VectorStore> {
  if (address.kind === 'qdrant') return new QdrantVectorStore({ ...qdrant, url: address.url });
  await mkdir(dirname(address.path), { recursive: true });
  return await SqliteVectorStore.open(address.path);
}

/** The store that the configuration names, for reading what needs no embedder. Fails with `not_found` where there is none. */
export async function openExistingStore(config: Config): Promise<VectorStore> {
  const address = storeAddress(config);
  checkThere(address);
  const store = await openStoreAt(address, config);
  if (store instanceof QdrantVectorStore) await store.attach();
  return store;
}

/** The business words over a store and an embedder. */
export function memoryOver(store: VectorStore, embedder: Embedder): OpenMemory {
  const nodes = new NodeStore(store, embedder);
  return {
    ...{ store, embedder, nodes },
    recall: new Recall(store, embedder, nodes),
    texts: new Texts(store),
    drafts: new Drafts(store),
    turns: new TurnStore(store, embedder),
    close: async () => {
      await store.close();
      await embedder.close();
    },
  };
}

/** The embedder that the configuration names, fetched first where that is needed. */
export async function openEmbedder(config: Config, onProgress?: OnProgress): Promise<Embedder> {
  const chosen = config.embedder;
  if (chosen.kind === 'openai') return new OpenAiEmbedder({ ...chosen, timeoutMs: config.modelTimeoutMs });
  return await OnnxEmbedder.open(await ensureMiniLm(config, onProgress), { threads: config.threads });
}

/** The language model that the configuration names; `rules` where there is none, and its name says so. */
export async function openModel(config: Config, onProgress?: OnProgress): Promise<LanguageModel> {
  switch (config.llm.kind) {
    case 'rules':
      return new RulesModel();
    case 'openai':
      return new OpenAiChatModel({ ...config.llm, timeoutMs: config.modelTimeoutMs });
    case 'local': {
      const { baseUrl, model } = await ensureLocalLlm(config, onProgress);
      return new OpenAiChatModel({ baseUrl, model, name: `local ${model}`, timeoutMs: config.modelTimeoutMs });
    }
  }
}

/** The tool servers that the configuration names. None is started before an agent asks for it. */
export const openTools = (config: Config): Tools => new McpTools(config.mcpServers);

/** What activities may be given besides memory and model. */
export interface ActivityOptions {
  /** The clock of what is recorded; the system's by default. */
  readonly now?: () => Date;
  /** Tool servers of the chat agent; none by default. */
  readonly tools?: Tools;
  /** Shortens what the extraction of facts reads; by default nothing does. */
  readonly compressor?: Compressor;
  /** Cuts topics; by similarity alone where there is none. */
  readonly segmenter?: Segmenter;
}

/** Everything that a worker registers, over a memory and a model. */
export function createActivities(
  memory: OpenMemory,
  model: LanguageModel,
  {
    now = () => new Date(),
    tools = new McpTools({}),
    compressor = new WholeTexts(),
    segmenter = new SimilaritySegmenter(),
  }: ActivityOptions = {},
): Activities {
  const plans = plansSeen(memory);
  const skills = { ...memory, model, clusterer: new MlKMeans(), now };
  return {
    ...createRecallActivities({ ...memory, now }),
    ...createLanguageActivities({ ...memory, model }),
    ...createChatAgent({ model, tools, drafts: memory.drafts }),
    ...createKnowledgeActivities(memory),
    ...createTurnActivities({ ...memory, now }),
    ...createSensingActivities({ ...memory, segmenter }),
    ...createFactActivities({ ...memory, model, compressor, now }),
    ...createParkedActivities(memory),
    ...createConsolidationActivities(skills),
    ...createRipeningActivities({ ...skills, countTokens: countO200k }),
    ...createPlanningActivities(memory),
    ...createReconcileActivities({ ...memory, ...plans, model, now }),
    ...createGateActivities({ ...memory, ...plans, now }),
  };
}
