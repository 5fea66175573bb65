import * as wf from '@temporalio/workflow';

import type { ExtractInput, Extracted } from '../activities/contract-conversation.js';
import {
  batchIdOf,
  inOrder,
  isBefore,
  isWhole,
  join,
  nextPass,
  precedingFrom,
  tokensIn,
  tokensOpen,
  type SensoryPass,
  type Segment,
} from '../src/domain/buffers.js';
import { idOf } from '../src/domain/id.js';
import type { Topic } from '../src/domain/turn.js';
import { showStatus, spend, tally, type ConversationRun } from './conversation-run.js';
import { reconcileBatch } from './conversation-online.js';
import { kindOf, messageOf, spentOf } from './failures.js';
import { model, store, text } from './proxies.js';

/** Whether there is something for `advance` to do. */
export function isDue(run: ConversationRun): boolean {
  const { sensory, open, settings, flushTo } = run;
  if (nextPass(sensory, settings.sensoryTokens, flushTo) !== undefined) return true;
  return tokensOpen(open) >= settings.shortTermTokens || open.some(({ turns }) => isBefore(turns, flushTo));
}

/** One pass of the sensory stage, and the extraction that comes of it; where none is due, the extraction that is. */
export async function advance(run: ConversationRun): Promise<void> {
  const pass = nextPass(run.sensory, run.settings.sensoryTokens, run.flushTo);
  if (pass !== undefined) await sense(run, pass);
  else await extract(run, run.open);
  showStatus(run);
}

/** Whether this run should end before it does more. */
const isLong = ({ settings }: ConversationRun): boolean => wf.workflowInfo().historyLength >= settings.mostEvents;

/** Cuts a piece of the sensory buffer; its segments join short-term memory, and what that holds is extracted when it is full. */
async function sense(run: ConversationRun, pass: SensoryPass): Promise<void> {
  const th = run.settings.shortTermTokens;
  for (const segment of await cut(run, pass)) {
    const { open, topic } = join(run.open, segment);
    run.open = open;
    run.before = precedingFrom(run.before, topic.topicId, segment.turns);
    run.sensory = run.sensory.slice(segment.turns.length);
    if (tokensIn(segment.turns) >= th) await extract(run, [topic]);
    else if (tokensOpen(open) >= th) await extract(run, open);
    if (isLong(run)) return; // what is left waits in the buffer, to be cut by the next run
  }
}

/** The segments of a pass: whole and in order, or the whole of it as one segment where segmentation failed for good. */
async function cut(run: ConversationRun, { turns, flush }: SensoryPass): Promise<readonly Segment[]> {
  const { space, conversation, open, before } = run;
  const batchId = idOf('sense', space, conversation, turns[0]?.turnId ?? '', turns.length, flush ? 1 : 0);
  try {
    const summary = `cut ${turns.length} turns into topics${flush ? ', all of them' : ''}`;
    const sensed = await text().senseTopics.executeWithOptions({ summary }, [
      { space, conversation, batchId, turns, open, flush, ...(before !== undefined && { before }) },
    ]);
    if (sensed.segments.length === 0 && !flush) return await cut(run, { turns, flush: true });
    if (isWhole(turns, sensed.segments, sensed.rest) && !(flush && sensed.rest.length > 0)) return sensed.segments;
  } catch (error) {
    if (wf.isCancellation(error)) throw error;
    if (!(error instanceof wf.ActivityFailure)) throw error;
  }
  tally(run, { unsegmented: 1 });
  return [{ turns, joins: null, topicId: idOf('topic', batchId) }];
}

/** ONE model call over these topics, then its facts become memory. What fails for good is parked; either way the topics are open no more. */
async function extract(run: ConversationRun, topics: readonly Topic[]): Promise<void> {
  if (topics.length === 0) return;
  const batch = batchOf(run, topics);
  let isPublished = false;
  try {
    const told = await extracted(run, batch);
    if (told === undefined) return; // the next run asks again: the topics are still open
    const published = await text().publishFacts.executeWithOptions(
      { summary: `publish ${told.facts} facts, ${told.summaries} summaries` },
      [batch],
    );
    tally(run, {
      batches: 1,
      facts: published.facts,
      summaries: published.summaries,
      unplaced: told.unplaced,
      refused: told.refused.length,
    });
    spend(run, told.spent, told.spent.model);
    isPublished = true;
  } catch (error) {
    if (wf.isCancellation(error) || !(error instanceof wf.ActivityFailure)) throw error;
    spend(run, spentOf(error));
    await park(run, batch, kindOf(error) ?? 'internal', messageOf(error));
  }
  run.reconciling = isPublished && run.settings.update === 'online';
  run.open = run.open.filter((topic) => !topics.includes(topic));
  if (run.reconciling) await reconcileBatch(run, batch);
  run.reconciling = false;
}

/** The model's word; undefined where the history grew too long while waiting for it. */
async function extracted(run: ConversationRun, batch: ExtractInput): Promise<Extracted | undefined> {
  const tokens = tokensOpen(batch.topics);
  const summary = `extract facts from ${batch.topics.length} topic${batch.topics.length === 1 ? '' : 's'} · ${tokens} tokens`;
  const scope = new wf.CancellationScope();
  let isAnswered = false;
  const asked = scope.run(() => model().extractFacts.executeWithOptions({ summary }, [batch])).finally(() => (isAnswered = true));
  asked.catch(() => {}); // seen below, where it is awaited
  await wf.condition(() => isAnswered || isLong(run));
  if (isAnswered) return await asked;
  scope.cancel();
  try {
    return await asked;
  } catch (error) {
    if (wf.isCancellation(error) && !wf.CancellationScope.current().consideredCancelled) return undefined;
    throw error;
  }
}

/** Keeps everything that is buffered for sleep: a conversation that is cancelled loses nothing. */
export async function parkBuffers(run: ConversationRun, kind: string, reason: string): Promise<void> {
  const { sensory, open } = run;
  const waiting =
    sensory.length === 0
      ? []
      : [{ topicId: idOf('topic', run.space, run.conversation, sensory[0]?.turnId ?? ''), turns: sensory }];
  const topics = [...open, ...waiting];
  if (topics.length === 0) return;
  await park(run, batchOf(run, topics), kind, reason);
  run.sensory = [];
  run.open = [];
}

/** Keeps a batch for sleep to try again, with the reason. */
async function park(run: ConversationRun, batch: ExtractInput, kind: string, reason: string): Promise<void> {
  const turns = batch.topics.reduce((sum, topic) => sum + topic.turns.length, 0);
  await store().parkBatch.executeWithOptions({ summary: `park ${turns} turns: ${kind}` }, [{ ...batch, kind, reason }]);
  tally(run, { parked: 1 });
  run.parked = [...run.parked, { batchId: batch.batchId, turns, kind }];
}

function batchOf({ space, conversation, settings }: ConversationRun, topics: readonly Topic[]): ExtractInput {
  const sections = inOrder(topics);
  return {
    ...{ space, conversation, batchId: batchIdOf(space, conversation, sections), topics: sections, read: settings.read },
    keepShare: settings.compression === 'none' ? 1 : settings.compression,
  };
}
