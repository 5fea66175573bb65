import { EngraphError } from './failure.js';
import type { Totals } from './refinement.js';
import { checkSpace } from './space.js';
import { ROLES_READ, type RolesRead, type Preceding, type Topic, type TurnRef } from './turn.js';

/** How a conversation is read. They hold from its first turn on until it is closed. */
export interface ConversationSettings {
  /** Whose turns are indexed and read for facts. Default `both`. */
  readonly read: RolesRead;
  /** Tokens of the sensory buffer [LightMem: 512]. */
  readonly sensoryTokens: number;
  /** th, tokens that the open topics together hold before they are extracted [LightMem: 256 to 1024, here 512]. */
  readonly shortTermTokens: number;
  /** Share r of tokens kept in what the extraction model reads, 0.4 to 0.8 [LightMem]; `none` leaves it whole. Default 0.6. */
  readonly compression: number | 'none';
  /** Without a new turn for so long, what is buffered is extracted. Milliseconds; 10 minutes. */
  readonly idleMs: number;
  /** When a batch's facts are held against older ones [LightMem]: by the next sleep, or right after its extraction. Default `offline`. */
  readonly update: 'offline' | 'online';
  /** Whether the space goes to sleep once nobody has spoken here for `idleMs`, or the conversation is closed. Default false. */
  readonly sleepWhenIdle: boolean;
  /** History events of one run at which a model call is given up and made again in the next. Default 8,000: the server warns at 10,240. */
  readonly mostEvents: number;
}

/** What they are where the caller says nothing (design.md 3.2). */
export const DEFAULT_CONVERSATION: ConversationSettings = {
  read: 'both',
  sensoryTokens: 512,
  shortTermTokens: 512,
  compression: 0.6,
  idleMs: 600_000,
  update: 'offline',
  sleepWhenIdle: false,
  mostEvents: 8_000,
};

/** A batch whose extraction failed for good: it is a store record too, tried again by sleep. */
export interface ParkedBatch {
  readonly batchId: string;
  readonly turns: number;
  readonly kind: string;
}

/** What a conversation has come to so far. */
export interface ConversationTallies {
  /** Turns stored by this conversation, those in roles that are not read included. */
  readonly turns: number;
  readonly batches: number;
  readonly facts: number;
  readonly summaries: number;
  readonly parked: number;
  /** Facts whose turn could not be told: their source is the whole section. */
  readonly unplaced: number;
  /** Numbers that the model named and was never shown. */
  readonly refused: number;
  /** Passes of segmentation that failed for good: the buffer went on as one segment. */
  readonly unsegmented: number;
  /** Update queues that `update: "online"` has applied. */
  readonly reconciled: number;
  /** Those that it left to the next sleep: the model gave no usable answer, or a fact was changed meanwhile. */
  readonly unreconciled: number;
}

export const NO_TALLIES: ConversationTallies = {
  turns: 0,
  batches: 0,
  facts: 0,
  summaries: 0,
  parked: 0,
  unplaced: 0,
  refused: 0,
  unsegmented: 0,
  reconciled: 0,
  unreconciled: 0,
};

/** What one run hands to the next: references and counts, never text. */
export interface CarriedConversation {
  readonly nextSequence: number;
  readonly sensory: readonly TurnRef[];
  readonly open: readonly Topic[];
  /** Absent where nothing went before, and from runs that did not hand it over. */
  readonly before?: Preceding;
  readonly tallies: ConversationTallies;
  /** The latest that were parked, oldest first. */
  readonly parked: readonly ParkedBatch[];
  readonly spent: Totals;
  readonly models: readonly string[];
  /** When the latest turn came, milliseconds since 1970. */
  readonly lastAt: number;
  /** Whether anybody has spoken since the space was last sent to sleep from here. */
  readonly spoken?: boolean;
}

/** Input of `conversationWorkflow`. */
export interface ConversationInput {
  readonly space: string;
  readonly conversation: string;
  readonly settings?: Partial<ConversationSettings>;
  /** Given by the run before. */
  readonly carried?: CarriedConversation;
}

/** What the `status` query tells. */
export interface ConversationStatus extends ConversationTallies {
  /** Turns and tokens that wait to be cut into topics. */
  readonly sensory: { readonly turns: number; readonly tokens: number };
  /** What the open topics hold. */
  readonly shortTerm: { readonly topics: number; readonly turns: number; readonly tokens: number };
  /** Turns of calls that are being stored. */
  readonly storing: number;
  readonly parkedBatches: readonly ParkedBatch[];
  readonly spent: Totals;
  readonly models: readonly string[];
  readonly closing: boolean;
}

/** A conversation's name, checked: 1 to 256 characters, no control characters, as for a space. Fails with `validation`. */
export function checkConversationName(name: unknown): string {
  try {
    return checkSpace(name);
  } catch (error) {
    if (!(error instanceof EngraphError)) throw error;
    throw new EngraphError('validation', error.message.replaceAll('space', 'conversation'), { cause: error });
  }
}

/** Settings with their defaults; fails with `validation`, naming the field and what it may be. */
export function checkSettings(given: Partial<ConversationSettings> = {}): ConversationSettings {
  const unknown = Object.keys(given).find((name) => !(name in DEFAULT_CONVERSATION));
  if (unknown !== undefined)
    throw invalid(`${unknown} is no setting of a conversation; there are ${Object.keys(DEFAULT_CONVERSATION).join(', ')}`);
  const settings = { ...DEFAULT_CONVERSATION, ...given };
  if (!ROLES_READ.includes(settings.read))
    throw invalid(`read is ${JSON.stringify(settings.read)}; it must be one of ${ROLES_READ.join(', ')}`);
  const whole = (name: 'sensoryTokens' | 'shortTermTokens' | 'idleMs' | 'mostEvents', least: number, most: number): void => {
    const value = settings[name];
    if (!Number.isInteger(value) || value < least || value > most)
      throw invalid(`${name} is ${JSON.stringify(value)}; it must be a whole number from ${least} to ${most}`);
  };
  whole('sensoryTokens', 8, 8_192);
  whole('shortTermTokens', 8, 8_192);
  whole('idleMs', 100, 86_400_000);
  whole('mostEvents', 50, 9_000);
  if (settings.update !== 'offline' && settings.update !== 'online')
    throw invalid(`update is ${JSON.stringify(settings.update)}; it must be offline or online`);
  if (typeof settings.sleepWhenIdle !== 'boolean')
    throw invalid(`sleepWhenIdle is ${JSON.stringify(settings.sleepWhenIdle)}; it must be true or false`);
  const { compression } = settings;
  if (compression !== 'none' && !(typeof compression === 'number' && compression >= 0.4 && compression <= 0.8)) {
    throw invalid(`compression is ${JSON.stringify(compression)}; it must be from 0.4 to 0.8, or "none"`);
  }
  return settings;
}

const invalid = (message: string): EngraphError => new EngraphError('validation', message);
