import type { ChatCompletion, ChatCompletionCreateParamsNonStreaming } from 'openai/resources/chat/completions';

import { estimateTokens } from '../domain/context.js';
import { EngraphError, type FailureKind } from '../domain/failure.js';
import type { Completion, LanguageModel, Prompt, Usage } from '../ports/language-model.js';
import type { CallOptions } from '../ports/vector-store.js';
import { openAiServer, within, type OpenAiEndpoint, type OpenAiServer } from './openai-endpoint.js';
import { failureOf, upstreamText } from './openai-failures.js';
import { LearnedParameters, type Parameters, type ReplyFormat } from './openai-parameters.js';

/** Options of `OpenAiChatModel`. */
export interface OpenAiChatOptions extends OpenAiEndpoint {
  /** How the reply's form is asked for at first; `json_schema` by default, and less where the server refuses that. */
  readonly structured?: ReplyFormat;
  /** What users are told it is; `openai MODEL at URL` by default. */
  readonly name?: string;
}

/**
 * Chat Completions of any OpenAI-compatible server. Parameters that the server refuses are given up once a process (case O09);
 * nothing else is tried again here. Tokens are the server's count, or an estimate where it gives none. Every failure has
 * `details.usage`, the requests it took. `llm_truncated` also where the reply looks whole (case O06).
 */
export class OpenAiChatModel implements LanguageModel {
  readonly name: string;
  readonly isLanguageModel = true;
  readonly #server: OpenAiServer;
  readonly #learned: LearnedParameters;

  /** Fails with `config` before anything is sent, where neither a server nor a key is named or the URL is none. */
  constructor(options: OpenAiChatOptions) {
    this.#server = openAiServer(options);
    this.name = options.name ?? `openai ${options.model} at ${this.#server.url}`;
    this.#learned = LearnedParameters.of(this.#server.url, options.model, {
      // Servers of one's own know `max_tokens`, and some ignore the newer name in silence; OpenAI's newer models refuse the old one.
      limit: options.baseUrl ? 'max_tokens' : 'max_completion_tokens',
      temperature: true,
      format: options.structured ?? 'json_schema',
    });
  }

  async complete(prompt: Prompt, options: CallOptions = {}): Promise<Completion> {
    return await this.#learned.run(options, async () => {
      for (let calls = 1; ; calls++) {
        const sent = this.#learned.current;
        try {
          const completion = await this.#send(prompt, sent, options);
          this.#learned.accept();
          return this.#read(completion, prompt, calls);
        } catch (error) {
          if (error instanceof EngraphError || options.signal?.aborted) throw error;
          if (this.#learned.learn(error, sent)) continue;
          throw failureOf(error, { ...this.#call(prompt), details: { usage: { calls, inputTokens: 0, outputTokens: 0 } } });
        }
      }
    });
  }

  async close(): Promise<void> {}

  #call(prompt: Prompt) {
    return { server: this.#server, unavailable: 'llm_unavailable' as const, sent: [prompt.user] };
  }

  async #send(prompt: Prompt, parameters: Parameters, options: CallOptions): Promise<ChatCompletion> {
    const body: ChatCompletionCreateParamsNonStreaming = {
      model: this.#server.model,
      messages: [
        { role: 'system', content: prompt.system.toWellFormed() },
        { role: 'user', content: prompt.user.toWellFormed() },
      ],
      [parameters.limit]: prompt.maxTokens,
      ...(parameters.temperature && { temperature: 0 }),
      ...formatOf(prompt, parameters.format),
    };
    return await within(this.#server.timeoutMs, options, (signal) =>
      this.#server.client.chat.completions.create(body, { signal }),
    );
  }

  #read(completion: ChatCompletion | string | undefined, prompt: Prompt, calls: number): Completion {
    const body = typeof completion === 'object' ? completion : undefined;
    const choice = body?.choices?.[0];
    const text = choice?.message?.content ?? '';
    const usage: Usage = {
      calls,
      inputTokens: body?.usage?.prompt_tokens ?? estimateTokens(prompt.system) + estimateTokens(prompt.user),
      outputTokens: body?.usage?.completion_tokens ?? estimateTokens(text),
    };
    const finishReason: string | undefined = choice?.finish_reason;
    const failure = (kind: FailureKind, why: string): EngraphError =>
      new EngraphError(kind, `${this.#server.model} at ${this.#server.url} ${why}`, {
        details: { usage, ...(finishReason && { finishReason }), prompt: prompt.name },
      });
    if (finishReason === 'length') {
      throw failure(
        'llm_truncated',
        `cut its reply to '${prompt.name}' at ${prompt.maxTokens} tokens; ask again with room for more`,
      );
    }
    if (finishReason === 'content_filter' || choice?.message?.refusal)
      throw failure('llm_refused', `refused to answer '${prompt.name}'`);
    if (text.trim() === '') {
      const said = upstreamText((body as { error?: unknown } | undefined)?.error, this.#call(prompt));
      throw failure('llm_no_choices', `gave no reply to '${prompt.name}'${said && `: ${said}`}`);
    }
    return { text, usage };
  }
}

function formatOf(prompt: Prompt, format: ReplyFormat): Pick<ChatCompletionCreateParamsNonStreaming, 'response_format'> {
  if (format === 'none') return {};
  if (format === 'json_object') return { response_format: { type: 'json_object' } };
  return {
    response_format: { type: 'json_schema', json_schema: { name: prompt.name, strict: true, schema: { ...prompt.schema } } },
  };
}
