import * as wf from '@temporalio/workflow';

import { checkKnowledge, type KnowledgeInput, type KnowledgeResult } from '../src/domain/document.js';
import { checked } from './failures.js';
import { store, text } from './proxies.js';

/** Chunks that one activity embeds: about a second of MiniLM on one core, so that a crash costs no more than that. */
const BATCH = 32;

/**
 * Learns a document: its chunks, embedded and inserted in batches (design.md 3.4). Id `knowledge/{space}/{document}`, so that
 * one document has one learning at a time. New chunks come first, then those that are gone are retired, and last the document
 * is recorded as known: a crash leaves too many chunks for a while, never too few, and the next learning goes on from there.
 */
export async function knowledgeWorkflow(input: KnowledgeInput): Promise<KnowledgeResult> {
  const { document, hash, ...rest } = checked(() => checkKnowledge(input));
  const { startTime, runId } = wf.workflowInfo();
  const key = { ...rest, document, hash, at: startTime.toISOString(), token: runId };

  const plan = await store().planDocument.executeWithOptions({ summary: 'compare the document with what is known' }, [key]);
  const { chunks, fresh, kept, moved, gone, planRef } = plan;
  const result = { document, hash, chunks, added: fresh, kept, retired: gone, unchanged: plan.unchanged };
  if (planRef === undefined) return result;

  const batches = Math.ceil(fresh / BATCH);
  for (let batch = 0; batch < batches; batch++) {
    const from = batch * BATCH;
    const count = Math.min(BATCH, fresh - from);
    const summary = `embed ${count} chunk${count === 1 ? '' : 's'} · ${batch + 1} of ${batches}`;
    await text().insertChunks.executeWithOptions({ summary }, [{ ...key, planRef, from, count }]);
  }
  const planned = { ...key, planRef };
  if (moved > 0) await store().placeChunks.executeWithOptions({ summary: `${moved} kept chunks stand elsewhere` }, [planned]);
  if (gone > 0) await store().retireChunks.executeWithOptions({ summary: `retire ${gone} chunks that are gone` }, [planned]);
  await store().recordDocument.executeWithOptions({ summary: `known: ${chunks} chunks` }, [planned]);
  return result;
}
