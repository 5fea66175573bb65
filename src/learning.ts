import type { Client } from '@temporalio/client';
import type { Priority } from '@temporalio/common';

import { checkChunkCharacters, type KnowledgeInput, type KnowledgeResult } from './domain/document.js';
import { EngraphError } from './domain/failure.js';
import { hashOf } from './domain/id.js';
import { redactSecrets } from './domain/redact.js';
import { keyOf } from './domain/space.js';
import type { Texts } from './store/texts.js';
import { failureOf, reaching } from './workflow-failures.js';

/** A document as its text. */
export interface DocumentToLearn {
  /** Its name: a path or a URL, by which it is known again. 1 to 1,024 characters. */
  readonly document: string;
  readonly text: string;
  /** Default: its name. */
  readonly title?: string;
  /** Most characters of a chunk, 64 to 8,192; 512 by default. */
  readonly chunkCharacters?: number;
}

interface Start {
  readonly temporal: Client;
  readonly texts: Texts;
  readonly taskQueue: string;
  readonly priority: Priority;
}

/** Learnings of one document that may be in each other's way before this gives up: each was of another text. */
const MOST_RIVALS = 10;

/**
 * Learns a document by its workflow `knowledge/{space}/{document}`. Only one runs at a time: one that runs already is waited
 * for, and where it was of another text, this one is started after it. Its text is kept in the store first, secrets redacted;
 * the workflow is given its reference.
 */
export async function learnDocument(
  { temporal, texts, taskQueue, priority }: Start,
  space: string,
  document: DocumentToLearn,
): Promise<KnowledgeResult> {
  const text = redactSecrets(checked(document).text).text;
  const hash = hashOf(text);
  const input: KnowledgeInput = {
    ...{
      space,
      document: document.document,
      title: document.title ?? document.document,
      textRef: await texts.keep(space, text),
      hash,
    },
    ...(document.chunkCharacters !== undefined && { chunkCharacters: document.chunkCharacters }),
  };
  const workflowId = `knowledge/${keyOf(space)}/${keyOf(document.document)}`;
  for (let tries = 0; tries < MOST_RIVALS; tries++) {
    const result = await run(temporal, { workflowId, taskQueue, priority, input });
    if (result.hash === hash) return result;
  }
  throw new EngraphError(
    'version_conflict',
    `${document.document} is being learned with other texts all the time; learn it again later`,
  );
}

async function run(
  temporal: Client,
  {
    workflowId,
    taskQueue,
    priority,
    input,
  }: { workflowId: string; taskQueue: string; priority: Priority; input: KnowledgeInput },
): Promise<KnowledgeResult> {
  let handle;
  try {
    handle = await temporal.workflow.start('knowledgeWorkflow', {
      ...{ workflowId, taskQueue, priority, args: [input] },
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      workflowIdConflictPolicy: 'USE_EXISTING',
      staticSummary: `learn a document in ${keyOf(input.space)}`,
    });
  } catch (error) {
    throw reaching(error);
  }
  try {
    return (await handle.result()) as KnowledgeResult;
  } catch (error) {
    throw failureOf(error);
  }
}

function checked(document: DocumentToLearn): DocumentToLearn {
  const invalid = (message: string): EngraphError => new EngraphError('validation', message);
  const { document: name, text, chunkCharacters } = document;
  if (typeof name !== 'string' || name.length === 0 || name.length > 1_024)
    throw invalid('a document has a name of 1 to 1024 characters');
  if (typeof text !== 'string') throw invalid(`the text of ${name} is no text`);
  if (chunkCharacters !== undefined) checkChunkCharacters(chunkCharacters);
  return document;
}
