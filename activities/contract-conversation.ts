import type { Text } from '../src/domain/claim.js';
import type { Spent } from '../src/domain/refinement.js';
import type { Role, RolesRead, Preceding, Topic, TurnRef } from '../src/domain/turn.js';

export type { Role, RolesRead, Topic, TurnRef } from '../src/domain/turn.js';

/** One turn on its way into memory: checked, keyed and numbered. Its text is in history in the update already, so it goes on as a claim. */
export interface NewTurn {
  /** The caller's key, or one made from role, speaker, time and content: the same turn sent again has the same. */
  readonly key: string;
  /** Position in the conversation, from 0, given before the update handler's first await. Positions may be left out. */
  readonly sequence: number;
  readonly role: Role;
  readonly speaker?: string;
  readonly text: Text;
  /** Event time, ISO 8601 in UTC with milliseconds; absent where nobody knows. */
  readonly at?: string;
  /** The caller's own, a JSON object as text. */
  readonly metadata?: Text;
}

export interface ConversationKey {
  readonly space: string;
  readonly conversation: string;
}

export interface StoreTurnsInput extends ConversationKey {
  /** Names the update that sends them; the update that first wrote a turn has it as `firstBy`. */
  readonly by: string;
  readonly turns: readonly NewTurn[];
  readonly read: RolesRead;
}

/** `sequence` is the stored one: where another update wrote the turn first, it is that one's. */
export interface StoredTurn extends TurnRef {
  /** Written by this update (in whatever attempt), not known before. */
  readonly isNew: boolean;
  /** Whether it goes on into the sensory buffer: its role is read and it says something. */
  readonly isRead: boolean;
}

export interface SenseInput extends ConversationKey {
  /** Names this pass: the first turn's id, so that any attempt says the same. */
  readonly batchId: string;
  /** The sensory buffer, in order. */
  readonly turns: readonly TurnRef[];
  /** Topics of short-term memory that are open. */
  readonly open: readonly Topic[];
  /** What went before the buffer, where anything did: whether its first turn starts a topic is said with these in sight. */
  readonly before?: Preceding;
  /** True on flush: nothing waits behind the last cut. */
  readonly flush: boolean;
}

/** How the buffer was cut: each turn is in exactly one segment or in the rest, in order. */
export interface Sensed {
  readonly segments: readonly {
    readonly turns: readonly TurnRef[];
    /** The open topic that it continues (by topicId), or null for a new one. */
    readonly joins: string | null;
    readonly topicId: string;
  }[];
  /** What follows the last cut, and waits. Empty on flush. */
  readonly rest: readonly TurnRef[];
}

export interface ExtractInput extends ConversationKey {
  readonly batchId: string;
  /** Numbered sections, in the order of their first turn. */
  readonly topics: readonly Topic[];
  readonly read: RolesRead;
  /** Kept share r of compression, 0.4 to 0.8; 1 for none. Only what the model reads is compressed. */
  readonly keepShare: number;
  /** Names another try of a batch that was parked: its question is asked anew, since the first answer is kept and of no use. */
  readonly again?: string;
}

export interface Extracted {
  readonly facts: number;
  readonly summaries: number;
  /** Numbers that the model named and was never shown, times that no turn tells, questions; in words without memory text. */
  readonly refused: readonly string[];
  /** Facts whose turn could not be told: their source is the whole section. */
  readonly unplaced: number;
  /** Facts left out since somebody else than the user only repeats with them what was in memory before. */
  readonly repeated?: number;
  readonly spent: Spent;
}

/** What a conversation is made durable by. All write under ids made from space, conversation and key, so any attempt may be repeated. */
export interface ConversationActivities {
  /** Where the conversation's sequence goes on: 0 for one that is new, else after the last stored turn. Queue `…-store`. */
  openConversation(input: ConversationKey): Promise<{ readonly nextSequence: number }>;
  /** Stores turns verbatim, embedded, recallable at once; one transaction a batch. Queue `…-text`. */
  storeTurns(input: StoreTurnsInput): Promise<{ readonly turns: readonly StoredTurn[] }>;
  /** Sensory memory [LightMem]: cuts the buffer into topic segments and says which open topic each continues. Queue `…-text`. */
  senseTopics(input: SenseInput): Promise<Sensed>;
  /** ONE model call over the topics as numbered sections (and one repair request at most); the answer is kept as the batch's draft. Queue `…-model`. */
  extractFacts(input: ExtractInput): Promise<Extracted>;
  /** Turns the batch's draft into facts and summaries with Source edges, marked fresh; marks the turns' topic. Queue `…-text`. */
  publishFacts(input: ExtractInput): Promise<{ readonly facts: number; readonly summaries: number }>;
  /** Keeps a batch that the model refuses for good as a store record, with the reason's kind: shown by status, tried again by sleep, never dropped. Queue `…-store`. */
  parkBatch(input: ExtractInput & { readonly kind: string; readonly reason: string }): Promise<void>;
}
