import { EngraphError } from '../domain/failure.js';
import { idOf } from '../domain/id.js';
import type { JsonObject } from '../domain/json.js';
import type { Spent } from '../domain/refinement.js';
import { keyOf } from '../domain/space.js';
import type { CallOptions, VectorStore } from '../ports/vector-store.js';
import type { NewNode, NodeStore } from './nodes.js';
import { Records } from './records.js';
import { abortedBy, Versions } from './versions.js';

/** Names one batch of one conversation. */
export interface BatchKey {
  readonly space: string;
  readonly conversation: string;
  readonly batchId: string;
}

/** A fact that was accepted, before it is a node. */
export interface ExtractedFact {
  readonly text: string;
  /** Ids of the turns that it was drawn from, at least one. */
  readonly turns: readonly string[];
  readonly topicId: string;
  /** Whether the turn could not be told: the sources are then all turns of its section. */
  readonly unplaced: boolean;
  /** Place of its first turn in the conversation. */
  readonly position?: number;
  readonly speaker?: string;
  readonly role?: string;
  /** When what it says happens, ISO 8601 in UTC; when it was said, where the words don't tell. */
  readonly validFrom?: string;
  /** The caller's own, from the turn. */
  readonly metadata?: JsonObject;
}

/** What a topic of the batch is about. */
export interface ExtractedSummary {
  readonly topicId: string;
  readonly title: string;
  readonly text: string;
  readonly turns: readonly string[];
  readonly validFrom?: string;
}

/** What a batch's answer comes to, decided once: kept before any of it is published. */
export interface Extraction {
  readonly facts: readonly ExtractedFact[];
  readonly summaries: readonly ExtractedSummary[];
  /** Numbers that the model named and was never shown, times that no turn tells, and questions. */
  readonly refused: readonly string[];
  /** Facts left out since they only repeat what was recalled. */
  readonly repeated: number;
  readonly spent: Spent;
}

/** Where a publishing stands: its time, and the topics whose turns are to be marked. */
export interface Publishing extends CallOptions {
  readonly recordedAt: string;
  readonly topics: readonly { readonly topicId: string; readonly turns: readonly { readonly turnId: string }[] }[];
}

/**
 * Facts and summaries of conversations: what was accepted of a batch is a record first, then semantic nodes with Source edges
 * to their turns, marked fresh. Ids come from space, conversation, batch and text, so that done again nothing is there twice.
 */
export class Facts {
  readonly #nodes: NodeStore;
  readonly #extractions: Records;
  readonly #versions: Versions;

  constructor(store: VectorStore, nodes: NodeStore) {
    this.#nodes = nodes;
    this.#extractions = new Records(store, 'extraction');
    this.#versions = new Versions(store);
  }

  /** What was accepted of the batch; undefined where its answer was never accepted. */
  async find(batch: BatchKey, options: CallOptions = {}): Promise<Extraction | undefined> {
    const kept = await this.#extractions.find(batch.space, recordKey(batch), options);
    return kept && (kept.payload as unknown as Extraction);
  }

  /** Keeps what was accepted of the batch. The first one wins, and is returned. */
  async keep(batch: BatchKey, extraction: Extraction, options: CallOptions = {}): Promise<Extraction> {
    const plain = JSON.parse(JSON.stringify(extraction)) as JsonObject;
    const { space, conversation, batchId } = batch;
    const fields = { conversation, batchId, ...plain };
    const kept = await this.#extractions.change(space, recordKey(batch), (known) => (known ? undefined : fields), options);
    return kept as unknown as Extraction;
  }

  /**
   * Inserts the batch's facts and summaries, then tells the turns their topic, in place. What an earlier attempt inserted stays
   * as it is, also where sleep has changed or retired it since. Fails with `not_found` where nothing was kept for the batch.
   */
  async publish(batch: BatchKey, { recordedAt, topics, signal }: Publishing): Promise<Extraction> {
    const extraction = await this.find(batch, abortedBy(signal));
    if (extraction === undefined) {
      throw new EngraphError('not_found', `nothing was extracted for batch ${batch.batchId}; extract its facts first`, {
        details: { batchId: batch.batchId },
      });
    }
    const nodes = [
      ...extraction.facts.map((fact) => factNode(batch, fact)),
      ...extraction.summaries.map((summary) => summaryNode(batch, summary)),
    ];
    const ids = nodes.map(({ id }) => id);
    const there = await this.#versions.latest(batch.space, ids, signal);
    const missing = nodes.filter(({ id }) => !there.has(id));
    const token = idOf('publish', batch.space, batch.conversation, batch.batchId);
    if (missing.length > 0) await this.#nodes.insert(batch.space, missing, { recordedAt, token, ...abortedBy(signal) });
    await this.#markTopics(batch.space, topics, `${token} topics`, signal);
    return extraction;
  }

  /** A topic says nothing about what was true, so that it makes no new version. A turn forgotten meanwhile is left out. */
  async #markTopics(space: string, topics: Publishing['topics'], token: string, signal: AbortSignal | undefined): Promise<void> {
    const topicOf = new Map(topics.flatMap(({ topicId, turns }) => turns.map(({ turnId }) => [turnId, topicId] as const)));
    const turns = await this.#versions.alive(space, [...topicOf.keys()], { signal, what: { vector: true, terms: true } });
    const writes = [...turns].flatMap(([turnId, { revision, ...point }]) => {
      const topic = topicOf.get(turnId);
      if (topic === undefined || point.payload['topic'] === topic) return [];
      return [{ point: { ...point, payload: { ...point.payload, topic } }, expect: revision, token }];
    });
    await this.#versions.write(space, writes, signal);
  }
}

/** The node of a fact of this batch: the same for the same words. */
export const factIdOf = ({ space, conversation, batchId }: BatchKey, text: string): string =>
  idOf('fact', space, conversation, batchId, text);

/** By conversation, so that all of one can be listed. */
const recordKey = ({ conversation, batchId }: BatchKey): string => `${keyOf(conversation)}/${batchId}`;

function factNode(batch: BatchKey, fact: ExtractedFact): NewNode {
  const { conversation } = batch;
  const { text, turns, topicId, unplaced, position, ...told } = fact;
  return {
    ...{ id: factIdOf(batch, text), kind: 'semantic', form: 'fact', text, ...told },
    source: { conversation, turns, ...(position !== undefined && { position }) },
    ...{ topic: topicId, status: 'fresh', ...(unplaced && { unplaced }) },
    edges: { derivedFrom: turns },
  };
}

function summaryNode({ space, conversation, batchId }: BatchKey, summary: ExtractedSummary): NewNode {
  const { topicId, title, text, turns, ...told } = summary;
  return {
    ...{ id: idOf('summary', space, conversation, batchId, topicId), kind: 'semantic', form: 'summary', text, ...told },
    source: { conversation, turns, title },
    ...{ topic: topicId, status: 'fresh' },
    edges: { derivedFrom: turns },
  };
}
