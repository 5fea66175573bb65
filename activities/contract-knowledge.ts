/** Names one learning of one document. Its text is in the store; only its reference travels. */
export interface DocumentKey {
  readonly space: string;
  /** The document's name as its owner knows it: a path or a URL. */
  readonly document: string;
  readonly title: string;
  /** Reference of the kept text. */
  readonly textRef: string;
  /** SHA-256 of the text. */
  readonly hash: string;
  /** Most characters (UTF-16 code units) of a chunk. */
  readonly chunkCharacters: number;
  /** When the learning began: the `recordedAt` of what it writes, the same in every attempt. ISO 8601. */
  readonly at: string;
  /** Names this learning, so that an attempt repeated knows what it has written already. */
  readonly token: string;
}

/** What learning the document comes to. Which chunks these are is in the kept plan. */
export interface DocumentPlan {
  /** The same text, title and chunk size are known: there is nothing to do. */
  readonly unchanged: boolean;
  /** Reference of the kept plan; absent where there is nothing to do. */
  readonly planRef?: string;
  /** Chunks of the document as it is now. */
  readonly chunks: number;
  /** Of these, the ones to be embedded and inserted. */
  readonly fresh: number;
  readonly kept: number;
  /** Kept chunks that stand elsewhere in the document now. */
  readonly moved: number;
  /** Chunks that the document no longer has. */
  readonly gone: number;
}

/** A run of the plan's list of fresh chunks. */
export interface ChunkBatch extends DocumentKey {
  readonly planRef: string;
  readonly from: number;
  readonly count: number;
}

export interface PlanKey extends DocumentKey {
  readonly planRef: string;
}

/** What learns a document. Each may be repeated after a crash; all write under ids made from the document and its text. */
export interface KnowledgeActivities {
  /** Compares the document with what is known of it. Writes nothing but the plan. Queue `…-store`. */
  planDocument(input: DocumentKey): Promise<DocumentPlan>;
  /** Embeds and inserts chunks; those that are there already cost nothing. Queue `…-text`. */
  insertChunks(input: ChunkBatch): Promise<void>;
  /** Tells the kept chunks where they stand now. Queue `…-store`. */
  placeChunks(input: PlanKey): Promise<void>;
  /** Retires the chunks that are gone, after the new ones are there. Queue `…-store`. */
  retireChunks(input: PlanKey): Promise<void>;
  /** Says that the document is known as it is now: the last write, by which the same document again is no work. Queue `…-store`. */
  recordDocument(input: PlanKey): Promise<void>;
}
