import type { WorkflowHandle } from '@temporalio/client';

import { closeUpdate, flushUpdate, statusQuery } from '../workflows/messages-conversation.js';
import type { ConversationStatus } from './domain/conversation.js';
import { EngraphError, type FailureKind } from './domain/failure.js';
import { readMessages, type Message } from './domain/message.js';
import { whileRolling, type RememberQueue } from './remembering.js';
import { failureOf } from './workflow-failures.js';

/** What became of messages; `index` counts the messages of the call from 0. */
export interface Remembered {
  /** Turns that this call stored first. */
  readonly stored: number;
  /** Turns that were known. */
  readonly known: number;
  /** Messages that say nothing; where a call holds nothing but instructions, those too. */
  readonly empty: number;
  /** Set where nothing was stored since nothing was said. */
  readonly reason?: 'empty';
  /** Messages that were not taken, and why; the others are not touched by that. */
  readonly refused: readonly { readonly index: number; readonly kind: FailureKind; readonly message: string }[];
  readonly turns: readonly {
    readonly index: number;
    readonly status: 'new' | 'known' | 'empty';
    readonly turnId: string | null;
  }[];
}

/** Options of one call of `remember`. */
export interface RememberOptions {
  /** The clock that times without a zone are of, an IANA name; the client's by default, which is UTC. */
  readonly timeZone?: string;
  /** Names the call: sent again with it, it has the same answer. Where the call is cut, each part is named after it. */
  readonly updateId?: string;
}

/** One conversation: what is said in it, and what has become of that. */
export class ConversationHandle {
  readonly space: string;
  readonly conversation: string;
  readonly #handle: WorkflowHandle;
  readonly #queue: () => RememberQueue;
  readonly #timeZone: string;

  constructor(
    handle: WorkflowHandle,
    {
      space,
      conversation,
      queue,
      timeZone,
    }: { space: string; conversation: string; queue: () => RememberQueue; timeZone: string },
  ) {
    this.#handle = handle;
    this.space = space;
    this.conversation = conversation;
    this.#queue = queue;
    this.#timeZone = timeZone;
  }

  get workflowId(): string {
    return this.#handle.workflowId;
  }

  /**
   * Remembers messages, in order: when it returns they are durable and recallable. A message is stored once, by its key, or by
   * role, speaker, time and content. What can't be taken is told, message by message; what is no message at all fails the call
   * with `validation` before anything is sent. A call that says nothing starts nothing.
   */
  async remember(
    messages: readonly Message[],
    { timeZone = this.#timeZone, updateId }: RememberOptions = {},
  ): Promise<Remembered> {
    const { turns, empty, refused } = readMessages(messages, timeZone);
    const answers =
      turns.length === 0
        ? []
        : await this.#queue().send(
            turns.map(({ turn }) => turn),
            updateId,
          );
    const told = turns.map(({ index }, at) => ({
      index,
      status: answers[at]?.status ?? 'empty',
      turnId: answers[at]?.turnId ?? null,
    }));
    const all = [...told, ...empty.map((index) => ({ index, status: 'empty' as const, turnId: null }))].sort(
      (a, b) => a.index - b.index,
    );
    const count = (status: string): number => all.filter((turn) => turn.status === status).length;
    const nothing = count('new') + count('known') + refused.length === 0;
    return {
      stored: count('new'),
      known: count('known'),
      empty: count('empty'),
      ...(nothing && { reason: 'empty' }),
      refused,
      turns: all,
    };
  }

  /** Buffers, batches, what is parked and why, what model calls cost. Fails with `not_found` where nobody has spoken. */
  async status(): Promise<ConversationStatus> {
    try {
      return await this.#handle.query(statusQuery);
    } catch (error) {
      throw this.#told(failureOf(error));
    }
  }

  /** Waits until everything remembered so far is extracted or parked. */
  async flush(): Promise<ConversationStatus> {
    return await this.#rolling(() => this.#handle.executeUpdate(flushUpdate));
  }

  /** Flushes, then ends the conversation's workflow; remembering more starts it anew, and its turns go on where they ended. */
  async close(): Promise<ConversationStatus> {
    return await this.#rolling(() => this.#handle.executeUpdate(closeUpdate));
  }

  async #rolling<T>(send: () => Promise<T>): Promise<T> {
    try {
      return await whileRolling(send);
    } catch (error) {
      throw this.#told(error);
    }
  }

  #told(error: unknown): unknown {
    if (!(error instanceof EngraphError) || error.kind !== 'not_found') return error;
    return new EngraphError(
      'not_found',
      `there is no open conversation ${JSON.stringify(this.conversation)} in this space: remember something in it first`,
      { cause: error },
    );
  }
}
