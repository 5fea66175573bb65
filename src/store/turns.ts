import { estimateTokens } from '../domain/context.js';
import { EngraphError } from '../domain/failure.js';
import type { SemanticNode } from '../domain/graph.js';
import type { JsonObject } from '../domain/json.js';
import { saysNothing, turnIdOf, type Role, type TurnRef } from '../domain/turn.js';
import type { Embedder } from '../ports/embedder.js';
import type { CallOptions, Point, StoredPoint, VectorStore } from '../ports/vector-store.js';
import { embeddedText, pointIdOf, pointOf } from './points.js';
import { Speakers } from './speakers.js';
import { storedTime } from './validity.js';
import { abortedBy, BATCH } from './versions.js';

/** A turn to be stored, its text read. */
export interface TurnToStore {
  readonly key: string;
  readonly sequence: number;
  readonly role: Role;
  readonly speaker?: string;
  readonly text: string;
  /** Event time, ISO 8601 in UTC. */
  readonly at?: string;
  readonly metadata?: JsonObject;
  /** Whether a search may find it: its role is one that is read. */
  readonly indexed: boolean;
}

/** Where turns are stored, and by whose call. */
export interface TurnsWrite extends CallOptions {
  readonly space: string;
  readonly conversation: string;
  /** Names the update that sends them: kept with a turn by the first that writes it. */
  readonly by: string;
  readonly recordedAt: string;
}

/** A turn as stored: by this update or by an earlier one, whose sequence it then has. */
export type KeptTurn = TurnRef & { readonly isNew: boolean };

/** Times a batch is tried again after another update wrote one of its turns in between. */
const MOST_TRIES = 10;

/**
 * Turns of conversations, verbatim. A turn is one semantic node of form `turn` whose id comes from space, conversation and key:
 * whoever writes it first gives it its sequence, and every later write finds it known. A turn that is not indexed is a point
 * without vector and words: it is read, exported and forgotten like any other node, and no search nominates it.
 */
export class TurnStore {
  readonly #store: VectorStore;
  readonly #embedder: Embedder;
  readonly #speakers: Speakers;

  constructor(store: VectorStore, embedder: Embedder) {
    this.#store = store;
    this.#embedder = embedder;
    this.#speakers = new Speakers(store);
  }

  /** Stores what is not there yet, a batch a transaction, and says of each turn what became of it; each key once. Then every one is recallable. */
  async store(turns: readonly TurnToStore[], write: TurnsWrite): Promise<KeptTurn[]> {
    const kept: KeptTurn[] = [];
    for (let from = 0; from < turns.length; from += BATCH)
      kept.push(...(await this.#batch(turns.slice(from, from + BATCH), write)));
    const names = turns.flatMap(({ speaker, indexed }) => (speaker === undefined || !indexed ? [] : [speaker]));
    await this.#speakers.add(write.space, names, abortedBy(write.signal));
    return kept;
  }

  /** The sequence after the last that a turn of this conversation has; 0 where it has none. Reads them all: for a conversation that is opened again. */
  async nextSequence(space: string, conversation: string, { signal }: CallOptions = {}): Promise<number> {
    const filter = [
      { field: 'conversation' as const, anyOf: [conversation] },
      { field: 'form' as const, anyOf: ['turn'] },
    ];
    let next = 0;
    let after: string | undefined;
    do {
      const page = await this.#store.scan(space, { filter, ...(after !== undefined && { after }) }, abortedBy(signal));
      for (const point of page.points) next = Math.max(next, sequenceOf(point) + 1);
      after = page.next;
    } while (after !== undefined);
    return next;
  }

  async #batch(turns: readonly TurnToStore[], write: TurnsWrite): Promise<KeptTurn[]> {
    const { space, conversation, by, signal } = write;
    const vectors = new Map<string, readonly number[]>();
    for (let tries = 1; ; tries++) {
      const stored = await this.#stored(turns, write);
      const missing = turns.filter(({ key }) => !stored.has(key));
      await this.#embed(missing, vectors, signal);
      const writes = missing.map((turn) => ({ point: pointFor(turn, write, vectors.get(turn.key)), expect: 0, token: by }));
      try {
        if (writes.length > 0) await this.#store.upsert(space, writes, abortedBy(signal));
      } catch (error) {
        if (!(error instanceof EngraphError) || error.kind !== 'version_conflict' || tries >= MOST_TRIES) throw error;
        continue; // another update wrote one of them meanwhile: it is known then
      }
      return turns.map((turn) => {
        const before = stored.get(turn.key);
        return {
          turnId: turnIdOf(space, conversation, turn.key),
          sequence: before === undefined ? turn.sequence : sequenceOf(before),
          tokens: tokensOf(turn),
          isNew: before === undefined || before.payload['writtenBy'] === by,
        };
      });
    }
  }

  /** The first version of each turn that is there, by key: what it was written as, whatever it became. */
  async #stored(turns: readonly TurnToStore[], { space, conversation, signal }: TurnsWrite): Promise<Map<string, StoredPoint>> {
    const keys = new Map(turns.map(({ key }) => [pointIdOf(turnIdOf(space, conversation, key), 1), key]));
    const points = await this.#store.fetch(space, [...keys.keys()], {}, abortedBy(signal));
    return new Map(points.map((point) => [keys.get(point.id) ?? '', point]));
  }

  async #embed(
    turns: readonly TurnToStore[],
    vectors: Map<string, readonly number[]>,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const fresh = turns.filter(({ key, indexed }) => indexed && !vectors.has(key));
    if (fresh.length === 0) return;
    const texts = fresh.map((turn) => embeddedText({ kind: 'semantic', form: 'turn', ...turn }).toWellFormed());
    const made = await this.#embedder.embed(texts, abortedBy(signal));
    fresh.forEach(({ key }, at) => vectors.set(key, made[at] ?? []));
  }
}

/** Tokens of a turn as a model reads it: with its speaker. */
export const tokensOf = ({ speaker = '', text }: Pick<TurnToStore, 'speaker' | 'text'>): number =>
  saysNothing(text) ? 1 : Math.max(1, estimateTokens(speaker === '' ? text : `${speaker}: ${text}`));

function pointFor(
  turn: TurnToStore,
  { space, conversation, by, recordedAt }: TurnsWrite,
  vector: readonly number[] | undefined,
): Point {
  const node: SemanticNode = {
    ...{ id: turnIdOf(space, conversation, turn.key), space, version: 1, kind: 'semantic', form: 'turn', text: turn.text },
    ...{ recordedAt: storedTime(recordedAt), source: { conversation, position: turn.sequence }, role: turn.role, edges: {} },
    ...(turn.speaker !== undefined && { speaker: turn.speaker }),
    ...(turn.at !== undefined && { validFrom: turn.at }),
    ...(turn.metadata !== undefined && { metadata: turn.metadata }),
  };
  const { id, payload, terms } = pointOf(node, { vector: vector ?? [], writtenBy: by });
  return vector === undefined ? { id, space, payload } : { id, space, payload, vector, ...(terms && { terms }) };
}

function sequenceOf({ payload }: StoredPoint): number {
  const { position } = payload['source'] as { position?: number };
  return position ?? 0;
}
