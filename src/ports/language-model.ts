import type { CallOptions } from './vector-store.js';

/** The questions that Engraph asks a model; each is one file of src/prompts. */
export type PromptName =
  | 'answer'
  | 'attribution'
  | 'relevance'
  | 'reshape'
  | 'judgement'
  | 'facts'
  | 'reconcile'
  | 'skill'
  | 'skill_rewrite'
  | 'repair_reply';

/**
 * One question: its words for a model that reads prose, and the structured input they were made from for one that does not
 * (the rules model). `schema` is the JSON Schema of the reply.
 */
export interface Prompt<Input = unknown> {
  readonly name: PromptName;
  /** Our own standing instruction. Never holds text of a memory, a task or an agent. */
  readonly system: string;
  /** What is asked, with memories and tasks as marked and escaped data. */
  readonly user: string;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly input: Input;
  /** Most tokens of the reply. */
  readonly maxTokens: number;
}

/** What calls cost. `calls` counts requests that were sent, including refused ones. */
export interface Usage {
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export interface Completion {
  /** The reply as it came, to be parsed by the prompt's own parser. */
  readonly text: string;
  readonly usage: Usage;
}

/**
 * A model that answers prompts. One call is one request (a request that had to be sent again because the server refused a
 * parameter counts too); there is no retrying inside, Temporal does that. Failures: `llm_auth`, `llm_quota`,
 * `llm_rate_limited` (with the wait asked for), `llm_no_choices`, `llm_refused`, `llm_truncated`, `llm_rejected`,
 * `llm_unavailable`, `config`.
 */
export interface LanguageModel {
  /** The adapter and the model, as a user is told it: `rules`, `openai gpt-x at https://…`, `local qwen2.5-coder-1.5b`. */
  readonly name: string;
  /** False for the rules model, so that every face can say that no LLM is at work. */
  readonly isLanguageModel: boolean;
  complete(prompt: Prompt, options?: CallOptions): Promise<Completion>;
  close(): Promise<void>;
}
