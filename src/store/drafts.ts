import { EngraphError } from '../domain/failure.js';
import type { JsonObject } from '../domain/json.js';
import type { CallOptions, VectorStore } from '../ports/vector-store.js';
import type { PromptName, Usage } from '../ports/language-model.js';
import { Records } from './records.js';

/** One question to a model and what became of it. The reply is kept before it is applied. */
export interface Draft {
  readonly batchId: string;
  readonly prompt: PromptName;
  readonly model: string;
  /** Calls begun: 1, and one more for each attempt whose answer did not reach the store. */
  readonly begun: number;
  /** Calls that ended in a failure which was recorded. */
  readonly failed: number;
  /** Requests and tokens of all recorded ends, failed ones included. */
  readonly usage: Usage;
  /** The reply as it came; absent until there is one. */
  readonly reply?: string;
  /** What the first call was made for, where several may ask the same: whoever finds the answer kept has not paid for it. */
  readonly buyer?: string;
}

/** Sums over drafts. `begun - answered - failed` calls got lost with a process. */
export interface Ledger extends Usage {
  readonly begun: number;
  readonly answered: number;
  readonly failed: number;
}

const NOTHING: Usage = { calls: 0, inputTokens: 0, outputTokens: 0 };

/**
 * Model answers by batch id (design.md section 7): an answer that is here is never bought again (promise 3), and what calls
 * cost is counted from these records and from nothing else (promise 4).
 */
export class Drafts {
  readonly #records: Records;

  constructor(store: VectorStore) {
    this.#records = new Records(store, 'draft');
  }

  async find(space: string, batchId: string, options: CallOptions = {}): Promise<Draft | undefined> {
    const found = await this.#records.find(space, batchId, options);
    return found && draftOf(found.payload);
  }

  /**
   * Counts a call that is about to be sent, unless the answer is here: then the draft comes with its reply and nothing is
   * counted. `attempt` (the activity's) tells apart two attempts that begin at once.
   */
  async begin(
    space: string,
    batchId: string,
    {
      prompt,
      model,
      attempt = 0,
      buyer,
      signal,
    }: { prompt: PromptName; model: string; attempt?: number; buyer?: string | undefined } & CallOptions,
  ): Promise<Draft> {
    const begin = (kept: JsonObject | undefined): JsonObject | undefined => {
      if (kept?.['reply'] !== undefined) return undefined;
      const before = kept ? draftOf(kept) : { begun: 0, failed: 0, usage: NOTHING };
      const first = typeof kept?.['buyer'] === 'string' ? kept['buyer'] : buyer;
      const counts = { begun: before.begun + 1, failed: before.failed, usage: { ...before.usage } };
      return { prompt, model, ...counts, ...(first !== undefined && { buyer: first }) };
    };
    return draftOf(await this.#records.change(space, batchId, begin, { attempt, ...(signal && { signal }) }));
  }

  /** Keeps the reply. The first one wins: the draft returned has it, whoever's it is; what a later one cost is counted too. */
  async answer(
    space: string,
    batchId: string,
    { reply, usage, signal }: { reply: string; usage: Usage } & CallOptions,
  ): Promise<Draft> {
    const answer = (kept: JsonObject | undefined): JsonObject => {
      const before = draftOf(begunOnly(kept, batchId));
      return { ...kept, reply: before.reply ?? reply, usage: { ...sum(before.usage, usage) } };
    };
    return draftOf(await this.#records.change(space, batchId, answer, { attempt: 'answer', ...(signal && { signal }) }));
  }

  /** Counts a call that ended without an answer, with what it cost as far as that is known. */
  async fail(space: string, batchId: string, { usage = NOTHING, signal }: { usage?: Usage } & CallOptions = {}): Promise<Draft> {
    const fail = (kept: JsonObject | undefined): JsonObject => {
      const before = draftOf(begunOnly(kept, batchId));
      return { ...kept, failed: before.failed + 1, usage: { ...sum(before.usage, usage) } };
    };
    return draftOf(await this.#records.change(space, batchId, fail, { attempt: 'fail', ...(signal && { signal }) }));
  }

  /** What the calls of these batches came to; all of the space's, or those whose batch id starts so. */
  async ledger(space: string, prefix = '', options: CallOptions = {}): Promise<Ledger> {
    let ledger: Ledger = { ...NOTHING, begun: 0, answered: 0, failed: 0 };
    for await (const fields of this.#records.list(space, prefix, options)) {
      const { begun, failed, usage, reply } = draftOf(fields);
      ledger = {
        ...sum(ledger, usage),
        begun: ledger.begun + begun,
        failed: ledger.failed + failed,
        answered: ledger.answered + (reply === undefined ? 0 : 1),
      };
    }
    return ledger;
  }
}

function begunOnly(kept: JsonObject | undefined, batchId: string): JsonObject {
  if (kept) return kept;
  throw new EngraphError('not_found', `no call of batch ${batchId} was begun`, { details: { batchId } });
}

function draftOf(fields: JsonObject): Draft {
  const { key, prompt, model, begun, failed, usage, reply, buyer } = fields;
  if (typeof begun !== 'number' || typeof failed !== 'number' || typeof usage !== 'object') {
    throw new EngraphError('validation', `record ${String(key)} is no draft of ours`, { details: { key } });
  }
  const found = { ...(reply !== undefined && { reply }), ...(buyer !== undefined && { buyer }) };
  return { batchId: key, prompt, model, begun, failed, usage, ...found } as unknown as Draft;
}

function sum(a: Usage, b: Usage): Usage {
  return {
    calls: a.calls + b.calls,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
  };
}
