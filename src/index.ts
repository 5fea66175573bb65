/**
 * What the package exports: the client for an application, what starts a worker inside one, and the words of both. Agents in
 * processes of their own need nothing of this but the types of `domain/agent.ts`.
 */
export { EngraphClient, type ClientOptions, type ClientSearch } from './client.js';
export { ConversationHandle, type Remembered, type RememberOptions } from './conversation-handle.js';
export { SkillHandle } from './skill-handle.js';
export { TaskHandle, type RoundTold, type RoundsTold } from './task-handle.js';
export type { HumanJudgement, TaskRounds } from '../workflows/messages.js';
export type { DocumentToLearn } from './learning.js';
export { findDocuments, readDocument } from './documents.js';

export { loadConfig, type Config, type ConfigOverrides } from './config.js';
export { openMemory, type OpenMemory } from './compose.js';
export { connectClient, findTemporal, temporalClient, type TemporalPlace } from './temporal.js';
export { dataConverterOf } from './data-converter.js';
export { EncryptingCodec } from './codec.js';
export { readPayloadKeys, type PayloadKey } from './setup/payload-keys.js';
export { startWorker, type RunningWorker } from './worker.js';
export { WORKER_KINDS, type WorkerKind } from './worker-kinds.js';

export { EngraphError, FAILURE_KINDS, type FailureKind } from './domain/failure.js';
export type { ExecuteInput, ExecuteOutcome, JudgeInput, Judgement } from './domain/agent.js';
export type {
  ActivityAgent,
  AgentRef,
  ChatAgent,
  JudgeRef,
  RetrievalMode,
  RetrievalSettings,
  TaskLimits,
  TaskRequest,
} from './domain/task.js';
export type { EndReason, RoundReport, Saved, StepReceipt, TaskResult, Totals } from './domain/refinement.js';
export type { RipenEnd, RipenRound, SkillRipened, SkillsReport } from './domain/skills.js';
export { parseProcedure, writeProcedure, type Procedure, type ProcedureStep } from './domain/procedure.js';
export type { EpisodicNode, GraphNode, NodeKind, ProceduralNode, SemanticNode, StepLink } from './domain/graph.js';
export type { ConversationSettings, ConversationStatus, ParkedBatch } from './domain/conversation.js';
export type { Message } from './domain/message.js';
export type { NodeUpdate } from './domain/node-update.js';
export type { KnowledgeResult } from './domain/document.js';
export type { Ranked, SearchOptions } from './store/recall.js';

export type { Embedder } from './ports/embedder.js';
export type { Completion, LanguageModel, Prompt, Usage } from './ports/language-model.js';
export type { EmbeddingIdentity, VectorStore } from './ports/vector-store.js';
