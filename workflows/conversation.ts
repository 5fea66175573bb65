import * as wf from '@temporalio/workflow';

import { checkConversation } from '../src/domain/conversation-input.js';
import type { ConversationInput, ConversationStatus } from '../src/domain/conversation.js';
import { beginRun, carriedFrom, showStatus, statusOf, type ConversationRun } from './conversation-run.js';
import { listen } from './conversation-messages.js';
import { advance, isDue, parkBuffers } from './conversation-steps.js';
import { checked } from './failures.js';
import { store } from './proxies.js';
import { startSleep } from './sleep-tick.js';

/**
 * One conversation, for as long as it lives (design.md 3.2). Id `conversation/{space}/{conversation}`. Turns are stored by the
 * `remember` update before it returns; behind it the sensory buffer is cut into topics, and full short-term memory becomes
 * facts. Goes on in a new run on the server's hint, once all handlers have finished, with its buffers as references and counts.
 * Ends when closed, with its last status; cancelled, it parks what is buffered and ends as cancelled.
 */
export async function conversationWorkflow(input: ConversationInput): Promise<ConversationStatus> {
  const { space, conversation, settings, carried } = checked(() => checkConversation(input));
  const run = beginRun(space, conversation, settings, carried);
  listen(run);
  try {
    await live(run);
  } catch (error) {
    if (!wf.isCancellation(error)) throw error;
    run.rolling = true;
    await wf.CancellationScope.nonCancellable(async () => {
      await wf.condition(wf.allHandlersFinished);
      await parkBuffers(run, 'cancelled', 'the conversation was cancelled');
    });
    throw error;
  }
  showStatus(run);
  if (run.closing && !isBuffered(run)) await sleepIfAsked(run);
  if (run.closing && !isBuffered(run)) return statusOf(run);
  await wf.continueAsNew<typeof conversationWorkflow>({ space, conversation, settings, carried: carriedFrom(run) });
  throw new wf.IllegalStateError('a workflow that continues as new has ended');
}

/** Works until the conversation is closed, or should go on in a new run; then no handler runs any more. */
async function live(run: ConversationRun): Promise<void> {
  const { space, conversation } = run;
  run.base ??= (
    await store().openConversation.executeWithOptions({ summary: 'where the sequence goes on' }, [{ space, conversation }])
  ).nextSequence;
  while (!isSuggested() && !isClosed(run)) {
    await untilDue(run);
    if (!isSuggested() && isDue(run)) await advance(run);
  }
  run.rolling = true;
  await wf.condition(wf.allHandlersFinished);
}

/** Waits for work: a full buffer, a flush, or no new turn for so long that what is buffered is to go on as it is. */
async function untilDue(run: ConversationRun): Promise<void> {
  const isAwake = (): boolean => isSuggested() || isClosed(run) || isDue(run);
  const left = run.lastAt + run.settings.idleMs - Date.now();
  if (!isBuffered(run)) {
    const isSpokenTo = (): boolean => isAwake() || isBuffered(run);
    if (!isSleepDue(run)) return await wf.condition(isSpokenTo);
    if (left > 0 && (await wf.condition(isSpokenTo, left, { summary: 'sleep when nobody speaks' }))) return;
    if (left <= 0) await sleepIfAsked(run);
    return;
  }
  if (left > 0 && (await wf.condition(isAwake, left, { summary: 'extract what is buffered when nobody speaks' }))) return;
  if (left <= 0) run.flushTo = (run.base ?? 0) + run.given;
}

const isSleepDue = ({ settings, spoken }: ConversationRun): boolean => settings.sleepWhenIdle && spoken;

/** Sends the space to sleep, once for all that was said since it last did. */
async function sleepIfAsked(run: ConversationRun): Promise<void> {
  if (!isSleepDue(run)) return;
  run.spoken = false;
  await startSleep(run.space);
}

const isSuggested = (): boolean => wf.workflowInfo().continueAsNewSuggested;

const isBuffered = ({ sensory, open }: ConversationRun): boolean => sensory.length > 0 || open.length > 0;

const isClosed = (run: ConversationRun): boolean => run.closing && run.slots.length === 0 && !isBuffered(run);
