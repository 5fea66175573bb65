import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';

import { isGrpcServiceError, WithStartWorkflowOperation, type Client } from '@temporalio/client';
import type { Priority } from '@temporalio/common';

import { rememberUpdate, type RememberAnswer } from '../workflows/messages-conversation.js';
import type { ConversationInput } from './domain/conversation.js';
import { EngraphError } from './domain/failure.js';
import { byteLength } from './domain/fields.js';
import { keyOf } from './domain/space.js';
import type { CheckedTurn } from './domain/turn.js';
import { failureOf } from './workflow-failures.js';

/** Bytes of turns that one update carries, unless a single one has more: a tenth of Temporal's limit of a payload. */
const UPDATE_BYTES = 200_000;

/** Turns that one update carries: some seconds of MiniLM, so that a crash costs no more than that. */
const UPDATE_TURNS = 128;

/** How long a call is sent again while the workflow is between two runs, milliseconds. */
const LONGEST_ROLLING_MS = 300_000;

type Answer = RememberAnswer['turns'][number];

/** Some turns of one call that travel together. */
interface Part {
  readonly turns: readonly CheckedTurn[];
  readonly bytes: number;
  /** Set where the caller named the update: it then travels alone. */
  readonly updateId?: string;
  readonly call: { failed: boolean };
  resolve(answers: readonly Answer[]): void;
  reject(error: unknown): void;
}

/** Where a conversation's updates go. */
export interface RememberTarget {
  readonly temporal: Client;
  readonly taskQueue: string;
  readonly priority: Priority;
  readonly workflowId: string;
  readonly input: ConversationInput;
}

/**
 * The calls of one client for one conversation, in the order made: one update is in flight at a time, and what comes meanwhile
 * travels together in the next, so that 500 calls at once are a few updates and keep their order. An update whose workflow is
 * between two runs is sent again.
 */
export class RememberQueue {
  readonly #target: RememberTarget;
  readonly #waiting: Part[] = [];
  #sending = false;

  constructor(target: RememberTarget) {
    this.#target = target;
  }

  get isIdle(): boolean {
    return !this.#sending && this.#waiting.length === 0;
  }

  /** Sends turns, cut into updates that Temporal takes; answers turn by turn. With `updateId` the same call again has the same answer. */
  async send(turns: readonly CheckedTurn[], updateId?: string): Promise<readonly Answer[]> {
    const call = { failed: false };
    const pieces = partsOf(turns);
    const sent = pieces.map(
      (piece, at) =>
        new Promise<readonly Answer[]>((resolve, reject) => {
          const named = updateId === undefined ? {} : { updateId: pieces.length === 1 ? updateId : `${updateId}/${at}` };
          this.#waiting.push({ turns: piece, bytes: sizeOf(piece), ...named, call, resolve, reject });
        }),
    );
    void this.#pump();
    return (await Promise.all(sent)).flat();
  }

  async #pump(): Promise<void> {
    if (this.#sending) return;
    this.#sending = true;
    for (let parts = this.#next(); parts.length > 0; parts = this.#next()) {
      try {
        const answers = [
          ...(await this.#update(
            parts.flatMap(({ turns }) => turns),
            parts[0]?.updateId ?? randomUUID(),
          )),
        ];
        for (const { turns, resolve } of parts) resolve(answers.splice(0, turns.length));
      } catch (error) {
        for (const { call, reject } of parts) {
          call.failed = true;
          reject(error);
        }
      }
    }
    this.#sending = false;
  }

  /** The parts that travel next; what is left of a call that failed is not sent. */
  #next(): Part[] {
    const parts: Part[] = [];
    let [bytes, count] = [0, 0];
    for (let part = this.#waiting[0]; part !== undefined; part = this.#waiting[0]) {
      const isAlone = part.updateId !== undefined || parts.some(({ updateId }) => updateId !== undefined);
      if (parts.length > 0 && (isAlone || bytes + part.bytes > UPDATE_BYTES || count + part.turns.length > UPDATE_TURNS)) break;
      this.#waiting.shift();
      if (part.call.failed) continue;
      parts.push(part);
      bytes += part.bytes;
      count += part.turns.length;
    }
    return parts;
  }

  async #update(turns: readonly CheckedTurn[], updateId: string): Promise<readonly Answer[]> {
    const { temporal, taskQueue, priority, workflowId, input } = this.#target;
    const send = async (): Promise<readonly Answer[]> => {
      const startWorkflowOperation = new WithStartWorkflowOperation('conversationWorkflow', {
        ...{ workflowId, taskQueue, priority, args: [input] },
        workflowIdConflictPolicy: 'USE_EXISTING',
        staticSummary: `conversation ${keyOf(input.conversation)} in ${keyOf(input.space)}`,
      });
      return (
        await temporal.workflow.executeUpdateWithStart(rememberUpdate, { startWorkflowOperation, updateId, args: [{ turns }] })
      ).turns;
    };
    return await whileRolling(send, { startsAnew: true });
  }
}

/**
 * Sends again what a workflow between two runs refuses; every other failure is told by its kind. `startsAnew`: what is sent starts
 * the workflow where there is none, so that one which has just ended is no failure either.
 */
export async function whileRolling<T>(send: () => Promise<T>, { startsAnew = false } = {}): Promise<T> {
  const until = performance.now() + LONGEST_ROLLING_MS;
  for (let waitMs = 10; ; waitMs = Math.min(waitMs * 2, 1_000)) {
    try {
      return await send();
    } catch (error) {
      const failure = failureOf(error);
      const isEnded = startsAnew && failure instanceof EngraphError && failure.kind === 'not_found';
      if (!(isEnded || isRolling(failure, error)) || performance.now() > until) throw failure;
      await wait(waitMs);
    }
  }
}

/** The workflow's own word, or the server's: it gives up updates that were not accepted when a run ended, and takes 10 at a time. */
function isRolling(failure: unknown, error: unknown): boolean {
  if (failure instanceof EngraphError && failure.kind === 'rolling_over') return true;
  const service = error instanceof Error && isGrpcServiceError(error.cause) ? error.cause : error;
  return isGrpcServiceError(service) && (service.code === ABORTED || service.code === RESOURCE_EXHAUSTED);
}

/** gRPC's numbers. */
const RESOURCE_EXHAUSTED = 8;
const ABORTED = 10;

function partsOf(turns: readonly CheckedTurn[]): CheckedTurn[][] {
  const parts: CheckedTurn[][] = [];
  let bytes = 0;
  for (const turn of turns) {
    const size = sizeOf([turn]);
    const last = parts.at(-1);
    if (last === undefined || bytes + size > UPDATE_BYTES || last.length >= UPDATE_TURNS) {
      parts.push([turn]);
      bytes = size;
    } else {
      last.push(turn);
      bytes += size;
    }
  }
  return parts;
}

const sizeOf = (turns: readonly CheckedTurn[]): number => byteLength(JSON.stringify(turns));
