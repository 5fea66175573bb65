import { defineSearchAttributeKey } from '@temporalio/common';
import * as wf from '@temporalio/workflow';

import { statusTable, tokensIn, tokensOpen } from '../src/domain/buffers.js';
import {
  NO_TALLIES,
  type CarriedConversation,
  type ConversationSettings,
  type ConversationStatus,
  type ConversationTallies,
  type ParkedBatch,
} from '../src/domain/conversation.js';
import { addSpent, NOTHING_SPENT, type Totals } from '../src/domain/refinement.js';
import { keyOf } from '../src/domain/space.js';
import type { Preceding, Topic, TurnRef } from '../src/domain/turn.js';

/** The turns of one call of `remember`: they enter the sensory buffer in the order of the calls, whichever is stored first. */
export interface Slot {
  /** Position of its first turn in this run. */
  readonly from: number;
  readonly turns: number;
  /** Set when they are stored: those that go on into the buffer. */
  stored: readonly TurnRef[] | undefined;
}

/** Everything that one run of a conversation has come to. Plain data: handlers and steps write it, the query reads it. */
export interface ConversationRun {
  readonly space: string;
  readonly conversation: string;
  readonly settings: ConversationSettings;
  /** Where the sequence of this run begins; undefined until that is read. */
  base: number | undefined;
  /** Sequence numbers given in this run. */
  given: number;
  slots: Slot[];
  sensory: readonly TurnRef[];
  open: readonly Topic[];
  before: Preceding | undefined;
  /** Turns with a lower sequence are to leave the buffers, full or not. */
  flushTo: number;
  closing: boolean;
  /** About to go on in a new run: no message is accepted any more. */
  rolling: boolean;
  tallies: ConversationTallies;
  parked: readonly ParkedBatch[];
  spent: Totals;
  models: readonly string[];
  lastAt: number;
  /** Whether the facts of the last batch are being held against older ones. */
  reconciling: boolean;
  /** Whether anybody has spoken since the space was last sent to sleep from here. */
  spoken: boolean;
}

/** Parked batches that status names; the store has them all. */
const PARKED_SHOWN = 50;

const SPACE = defineSearchAttributeKey('EngraphSpace', 'KEYWORD');

/** A run that has done nothing yet, with what the run before handed over. */
export function beginRun(
  space: string,
  conversation: string,
  settings: ConversationSettings,
  carried?: CarriedConversation,
): ConversationRun {
  wf.upsertSearchAttributes([{ key: SPACE, value: keyOf(space) }]);
  return {
    ...{
      space,
      conversation,
      settings,
      base: carried?.nextSequence,
      given: 0,
      slots: [],
      flushTo: 0,
      closing: false,
      reconciling: false,
      rolling: false,
    },
    sensory: carried?.sensory ?? [],
    open: carried?.open ?? [],
    before: carried?.before,
    tallies: { ...NO_TALLIES, ...carried?.tallies },
    parked: carried?.parked ?? [],
    spent: carried?.spent ?? NOTHING_SPENT,
    models: carried?.models ?? [],
    lastAt: carried?.lastAt ?? Date.now(),
    spoken: carried?.spoken ?? false,
  };
}

/** What the next run needs. Nothing is being stored when it is taken: all handlers have finished. */
export function carriedFrom(run: ConversationRun): CarriedConversation {
  const { sensory, open, before, tallies, parked, spent, models, lastAt, spoken } = run;
  return {
    nextSequence: (run.base ?? 0) + run.given,
    sensory,
    open,
    ...(before !== undefined && { before }),
    tallies,
    parked: parked.slice(-PARKED_SHOWN),
    spent,
    models,
    lastAt,
    spoken,
  };
}

/** Counts something that happened. */
export function tally(run: ConversationRun, more: Partial<ConversationTallies>): void {
  const sums = Object.entries(more).map(
    ([name, count]) => [name, run.tallies[name as keyof ConversationTallies] + count] as const,
  );
  run.tallies = { ...run.tallies, ...Object.fromEntries(sums) };
}

/** Counts what model calls cost, and which model answered. */
export function spend(run: ConversationRun, spent: Partial<Totals>, by?: string): void {
  run.spent = addSpent(run.spent, spent);
  if (by !== undefined && (spent.calls ?? 0) > 0 && !run.models.includes(by)) run.models = [...run.models, by];
}

/** Lets the turns of calls that are stored into the buffer, up to the first call that is not. */
export function settle(run: ConversationRun): void {
  const pending = run.slots.findIndex(({ stored }) => stored === undefined);
  const done = pending < 0 ? run.slots : run.slots.slice(0, pending);
  run.slots = run.slots.slice(done.length);
  run.sensory = [...run.sensory, ...done.flatMap(({ stored }) => stored ?? [])];
}

/** Keeps the table in the UI current. */
export const showStatus = (run: ConversationRun): void => wf.setCurrentDetails(statusTable(statusOf(run)));

/** What the `status` query tells. */
export function statusOf(run: ConversationRun): ConversationStatus {
  const { sensory, open, tallies, parked, spent, models, closing } = run;
  return {
    ...tallies,
    sensory: { turns: sensory.length, tokens: tokensIn(sensory) },
    shortTerm: { topics: open.length, turns: open.flatMap(({ turns }) => turns).length, tokens: tokensOpen(open) },
    storing: run.slots.reduce((sum, { turns }) => sum + turns, 0),
    parkedBatches: parked.slice(-PARKED_SHOWN),
    ...{ spent, models, closing },
  };
}
