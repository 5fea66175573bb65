import { chunkText } from '../domain/chunk.js';
import { EngraphError } from '../domain/failure.js';
import type { Source } from '../domain/graph.js';
import { hashOf, idOf } from '../domain/id.js';
import type { JsonObject } from '../domain/json.js';
import type { CallOptions, StoredPoint, VectorStore, With } from '../ports/vector-store.js';
import type { NewNode, NodeStore, WriteAs } from './nodes.js';
import { Records } from './records.js';
import { Texts } from './texts.js';
import { aliveAt } from './validity.js';
import { abortedBy, Versions } from './versions.js';

/** A document as its owner knows it, and how it is to be cut. */
export interface Document {
  readonly space: string;
  /** Its name: a path or a URL. */
  readonly document: string;
  readonly title: string;
  /** Reference of its kept text. */
  readonly textRef: string;
  /** SHA-256 of its text. */
  readonly hash: string;
  readonly chunkCharacters: number;
}

/** What learning the document comes to. */
export interface LearningPlan {
  /** Chunks of the document as it is now. */
  readonly chunks: number;
  /** Places, counted from 0, of the chunks that are not known. */
  readonly fresh: readonly number[];
  /** Known chunks that stand elsewhere now. */
  readonly moved: number;
  /** Ids of the chunks that the document no longer has. */
  readonly gone: readonly string[];
}

type ChunkNode = Extract<NewNode, { kind: 'semantic' }>;

/**
 * Documents as chunks. A chunk's id comes from the document, the chunk's indexed text (with the title, under which it is found)
 * and how many like it stand before it: what did not change keeps its node, wherever it now stands. Where it stands is kept up
 * to date in place, since it says nothing about what was true. Done again, each step finds its work done.
 */
export class Documents {
  readonly #store: VectorStore;
  readonly #nodes: NodeStore;
  readonly #texts: Texts;
  readonly #records: Records;

  constructor(store: VectorStore, nodes: NodeStore) {
    this.#store = store;
    this.#nodes = nodes;
    this.#texts = new Texts(store);
    this.#records = new Records(store, 'document');
  }

  /** How many chunks the document has where it was learned as it is, and all of them are still there; else undefined. */
  async known(document: Document, options: CallOptions = {}): Promise<number | undefined> {
    const record = (await this.#records.find(document.space, document.document, options))?.payload;
    if (record === undefined || !isSame(record, factsOf(document))) return undefined;
    const chunks = Number(record['chunks']);
    return (await this.#current(document, {}, options)).size === chunks ? chunks : undefined;
  }

  /** Compares the document with its chunks that are known. */
  async plan(document: Document, options: CallOptions = {}): Promise<LearningPlan> {
    const chunks = await this.#chunks(document, options);
    const current = await this.#current(document, {}, options);
    const kept = chunks.filter(({ id }) => current.has(id));
    const ids = new Set(chunks.map(({ id }) => id));
    return {
      chunks: chunks.length,
      fresh: chunks.flatMap(({ id }, place) => (current.has(id) ? [] : [place])),
      moved: kept.filter(({ id, source }) => !stands(current.get(id), source)).length,
      gone: [...current.keys()].filter((id) => !ids.has(id)),
    };
  }

  /** Embeds and inserts the chunks at these places. Those that are there already cost nothing. */
  async insert(document: Document, places: readonly number[], write: WriteAs): Promise<void> {
    const chunks = await this.#chunks(document, abortedBy(write.signal));
    const asked = places.map((place) => chunkAt(chunks, place, document));
    const there = await this.#nodes.read(
      document.space,
      asked.map(({ id }) => id),
      abortedBy(write.signal),
    );
    const ids = new Set(there.map(({ id }) => id));
    await this.#nodes.insert(
      document.space,
      asked.filter(({ id }) => !ids.has(id)),
      write,
    );
  }

  /** Tells the chunks that are there where they stand in the document now. */
  async place(document: Document, { token, signal }: { readonly token: string } & CallOptions): Promise<void> {
    const current = await this.#current(document, { vector: true, terms: true }, abortedBy(signal));
    const writes = (await this.#chunks(document, abortedBy(signal))).flatMap(({ id, source }) => {
      const point = current.get(id);
      if (point === undefined || stands(point, source)) return [];
      const { revision, ...rest } = point;
      return [
        { point: { ...rest, payload: { ...rest.payload, source: placeOf(source) } }, expect: revision, token: `${token} places` },
      ];
    });
    await new Versions(this.#store).write(document.space, writes, signal);
  }

  /** Says that the document is known as it is: the last write of a learning. */
  async record(document: Document, chunks: number, at: string, options: CallOptions = {}): Promise<void> {
    const facts = { ...factsOf(document), chunks };
    const same = (kept: JsonObject | undefined): JsonObject | undefined =>
      kept && isSame(kept, facts) ? undefined : { ...facts, learnedAt: at };
    await this.#records.change(document.space, document.document, same, options);
  }

  async #chunks({ space, document, title, textRef, chunkCharacters }: Document, options: CallOptions): Promise<ChunkNode[]> {
    const text = await this.#texts.read(space, textRef, options);
    const seen = new Map<string, number>();
    return chunkText(text, { characters: chunkCharacters }).map((chunk, position) => {
      const hash = hashOf(`${title}\n${chunk.text}`);
      const occurrence = seen.get(hash) ?? 0;
      seen.set(hash, occurrence + 1);
      const source = { document, title, position, start: chunk.start, end: chunk.end };
      return {
        id: idOf(space, 'chunk', document, hash, occurrence),
        kind: 'semantic',
        form: 'chunk',
        text: chunk.text,
        hash,
        source,
        edges: {},
      };
    });
  }

  /** The document's chunks that are current, by node id. */
  async #current({ space, document }: Document, what: With, options: CallOptions): Promise<Map<string, StoredPoint>> {
    const filter = [
      { field: 'document' as const, anyOf: [document] },
      { field: 'form' as const, anyOf: ['chunk'] },
      ...aliveAt(),
    ];
    const newest = new Map<string, StoredPoint>();
    let after: string | undefined;
    do {
      const page = await this.#store.scan(space, { filter, with: what, ...(after !== undefined && { after }) }, options);
      for (const point of page.points) {
        const id = String(point.payload['nodeId']);
        if (Number(point.payload['version']) > Number(newest.get(id)?.payload['version'] ?? 0)) newest.set(id, point);
      }
      after = page.next;
    } while (after !== undefined);
    return newest;
  }
}

function chunkAt(chunks: readonly ChunkNode[], place: number, { document, textRef }: Document): ChunkNode {
  const chunk = chunks[place];
  if (chunk) return chunk;
  throw new EngraphError('not_found', `${document} has no chunk ${place}; the plan is not one of text ${textRef}`, {
    details: { place },
  });
}

/** What of a source is kept beside the document's name, which is a field of its own. */
function placeOf({ document: _name, ...place }: Source): JsonObject {
  return place as JsonObject;
}

const stands = (point: StoredPoint | undefined, source: Source): boolean =>
  isSame((point?.payload['source'] ?? {}) as JsonObject, placeOf(source));

const factsOf = ({ title, hash, chunkCharacters }: Document): JsonObject => ({ title, hash, chunkCharacters });

const isSame = (kept: JsonObject, wanted: JsonObject): boolean =>
  Object.entries(wanted).every(([name, value]) => kept[name] === value);
