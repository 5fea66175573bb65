import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';

import type { ConversationStatus } from '../src/domain/conversation.js';
import type { TurnToRemember } from '../src/domain/turn.js';

/** Turns to remember, in order; together well under 2 MB, Temporal's limit of a payload. */
export interface RememberInput {
  readonly turns: readonly TurnToRemember[];
}

/** What became of each turn, in the order given. */
export interface RememberAnswer {
  readonly turns: readonly {
    /** `new`: first written by this update; `known`: by another, or said before in this one; `empty`: says nothing and is not stored. */
    readonly status: 'new' | 'known' | 'empty';
    /** The node's id; null where the turn is not stored. */
    readonly turnId: string | null;
  }[];
}

/**
 * Stores turns: when it returns they are durable and recallable. Sent again, with the same update id or another, it stores
 * nothing twice. Refused with `validation`, `bad_timestamp` or `too_large` before anything is stored, and with `rolling_over`,
 * to be sent again, while the workflow is about to go on in a new run or to end.
 */
export const rememberUpdate = defineUpdate<RememberAnswer, [RememberInput]>('remember');

/** Waits until every turn remembered before it is extracted or parked. Fails with `rolling_over`, to be sent again, where a new run comes between. */
export const flushUpdate = defineUpdate<ConversationStatus>('flush');

/** Flushes, then ends the workflow; a later `remember` starts it anew. Fails with `rolling_over` like a flush. */
export const closeUpdate = defineUpdate<ConversationStatus>('close');

/** Buffers, batches, what is parked and why, what model calls cost. */
export const statusQuery = defineQuery<ConversationStatus>('status');

/** A sleep says that a batch which was parked is extracted now. */
export const unparkedSignal =
  defineSignal<[{ readonly batchId: string; readonly facts: number; readonly summaries: number }]>('unparked');
