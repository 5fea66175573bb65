import { EngraphError } from './failure.js';
import { checkSpace } from './space.js';

/** Most characters of a chunk by default: some 130 tokens, well within the 256 that MiniLM reads. */
export const CHUNK_CHARACTERS = 512;

/** Input of `knowledgeWorkflow`: one learning of one document whose text is kept in the store. */
export interface KnowledgeInput {
  readonly space: string;
  /** The document's name as its owner knows it: a path or a URL. */
  readonly document: string;
  readonly title: string;
  /** Reference of the kept text. */
  readonly textRef: string;
  /** SHA-256 of the text, in hex. */
  readonly hash: string;
  /** Most characters (UTF-16 code units) of a chunk; 512 by default. */
  readonly chunkCharacters?: number;
}

/** What learning a document came to, in chunks. */
export interface KnowledgeResult {
  readonly document: string;
  /** SHA-256 of the text that was learned. */
  readonly hash: string;
  readonly chunks: number;
  readonly added: number;
  readonly kept: number;
  readonly retired: number;
  /** True where the document was known as it is: nothing was done. */
  readonly unchanged: boolean;
}

/**
 * The input with its defaults; fails with `validation` or `bad_space`, naming the field. Pure: the workflow calls it before it
 * does anything, since others start workflows too.
 */
export function checkKnowledge(input: unknown): Required<KnowledgeInput> {
  const fields = (typeof input === 'object' && input !== null ? input : {}) as Partial<Record<keyof KnowledgeInput, unknown>>;
  const text = (name: keyof KnowledgeInput, most: number): string => {
    const value = fields[name];
    if (typeof value === 'string' && value.length > 0 && value.length <= most) return value;
    throw new EngraphError('validation', `${name} of a document to learn must be text of 1 to ${most} characters`);
  };
  return {
    space: checkSpace(fields.space),
    document: text('document', 1_024),
    title: text('title', 1_024),
    textRef: text('textRef', 64),
    hash: text('hash', 64),
    chunkCharacters: checkChunkCharacters(fields.chunkCharacters ?? CHUNK_CHARACTERS),
  };
}

/** A chunk's size within its bounds; fails with `validation`. */
export function checkChunkCharacters(value: unknown): number {
  if (Number.isInteger(value) && Number(value) >= 64 && Number(value) <= 8_192) return Number(value);
  throw new EngraphError('validation', `chunkCharacters is ${JSON.stringify(value)}; it must be a whole number from 64 to 8192`);
}
