import * as wf from '@temporalio/workflow';

import type { NewTurn } from '../activities/contract-conversation.js';
import { isBefore } from '../src/domain/buffers.js';
import { claim } from '../src/domain/claim.js';
import type { ConversationStatus } from '../src/domain/conversation.js';
import { checkTurn, saysNothing, turnIdOf, type CheckedTurn, type TurnRef } from '../src/domain/turn.js';
import { settle, showStatus, statusOf, tally, type ConversationRun, type Slot } from './conversation-run.js';
import { checked } from './failures.js';
import {
  closeUpdate,
  flushUpdate,
  rememberUpdate,
  statusQuery,
  unparkedSignal,
  type RememberAnswer,
  type RememberInput,
} from './messages-conversation.js';
import { text } from './proxies.js';

/** Registers what a conversation can be told and asked. Before the workflow's first await, so that no message comes too early. */
export function listen(run: ConversationRun): void {
  wf.setHandler(unparkedSignal, ({ batchId, facts, summaries }) => {
    if (!run.parked.some((batch) => batch.batchId === batchId)) return;
    run.parked = run.parked.filter((batch) => batch.batchId !== batchId);
    tally(run, { parked: -1, batches: 1, facts, summaries });
    showStatus(run);
  });
  wf.setHandler(statusQuery, () => statusOf(run));
  wf.setHandler(rememberUpdate, (input) => remember(run, input), { validator: (input) => refuseTurns(run, input) });
  wf.setHandler(flushUpdate, () => flushed(run), { validator: () => refuseRolling(run) });
  wf.setHandler(
    closeUpdate,
    () => {
      run.closing = true;
      return flushed(run);
    },
    { validator: () => refuseRolling(run) },
  );
}

async function remember(run: ConversationRun, input: RememberInput): Promise<RememberAnswer> {
  const turns = input.turns.map(checkTurn);
  const spoken = distinct(turns.filter(({ text: words }) => !saysNothing(words)));
  const slot: Slot = { from: run.given, turns: spoken.length, stored: undefined };
  run.given += spoken.length;
  run.lastAt = Date.now();
  if (spoken.length === 0) return { turns: turns.map(() => ({ status: 'empty', turnId: null })) };
  run.spoken = true;
  run.slots.push(slot);
  try {
    const fresh = await store(run, spoken, slot);
    return { turns: answersTo(run, turns, fresh) };
  } finally {
    slot.stored ??= [];
    settle(run);
  }
}

/** Stores the turns and fills their slot; says which keys are new. */
async function store(run: ConversationRun, spoken: readonly CheckedTurn[], slot: Slot): Promise<Set<string>> {
  const { space, conversation, settings } = run;
  await wf.condition(() => run.base !== undefined);
  const first = (run.base ?? 0) + slot.from;
  const turns = spoken.map(({ text: words, metadata, ...turn }, at): NewTurn => {
    const kept = metadata !== undefined && { metadata: claim(space, JSON.stringify(metadata)) };
    return { ...turn, sequence: first + at, text: claim(space, words), ...kept };
  });
  const by = wf.currentUpdateInfo()?.id ?? '';
  const summary = `store ${turns.length} turn${turns.length === 1 ? '' : 's'}`;
  const stored = (
    await text().storeTurns.executeWithOptions({ summary }, [{ space, conversation, by, turns, read: settings.read }])
  ).turns;
  // A turn with another sequence was written by an earlier attempt of this update, in a run before: it went on from there.
  const written = stored.map((turn, at) => turn.isNew && turn.sequence === first + at);
  slot.stored = stored.flatMap(({ turnId, sequence, tokens, isRead }, at): TurnRef[] =>
    isRead && written[at] ? [{ turnId, sequence, tokens }] : [],
  );
  tally(run, { turns: written.filter(Boolean).length });
  return new Set(spoken.filter((_, at) => stored[at]?.isNew).map(({ key }) => key));
}

/** What became of each turn that was given. One said twice in a call is new once. */
function answersTo(
  { space, conversation }: ConversationRun,
  turns: readonly CheckedTurn[],
  fresh: Set<string>,
): RememberAnswer['turns'] {
  return turns.map(({ key, text: words }) => {
    if (saysNothing(words)) return { status: 'empty', turnId: null };
    return { status: fresh.delete(key) ? 'new' : 'known', turnId: turnIdOf(space, conversation, key) };
  });
}

function distinct(turns: readonly CheckedTurn[]): CheckedTurn[] {
  const seen = new Set<string>();
  return turns.filter(({ key }) => !seen.has(key) && seen.add(key));
}

/** Waits until the turns before this message have left the buffers. */
async function flushed(run: ConversationRun): Promise<ConversationStatus> {
  const given = run.given;
  await wf.condition(() => run.base !== undefined);
  const sequence = (run.base ?? 0) + given;
  run.flushTo = Math.max(run.flushTo, sequence);
  const isDone = (): boolean =>
    !run.reconciling &&
    !run.slots.some(({ from }) => from < given) &&
    !isBefore(run.sensory, sequence) &&
    !run.open.some(({ turns }) => isBefore(turns, sequence));
  await wf.condition(() => isDone() || run.rolling);
  showStatus(run);
  if (isDone()) return statusOf(run);
  throw rollingOver();
}

/** Synchronous on purpose: a validator that returns a rejected promise stalls the workflow and refuses nothing. */
function refuseTurns(run: ConversationRun, input: RememberInput): void {
  refuseRolling(run);
  const turns: unknown = (input as Partial<RememberInput> | undefined)?.turns;
  if (!Array.isArray(turns) || turns.length === 0)
    throw wf.ApplicationFailure.nonRetryable('turns must be a list of at least one turn', 'validation');
  checked(() => turns.forEach(checkTurn));
}

function refuseRolling(run: ConversationRun): void {
  if (run.rolling || run.closing) throw rollingOver();
}

const rollingOver = (): wf.ApplicationFailure =>
  wf.ApplicationFailure.create({
    type: 'rolling_over',
    message: 'the conversation goes on in a new run: send it again',
    nonRetryable: false,
  });
