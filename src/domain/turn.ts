import { eventTime } from './event-time.js';
import { EngraphError } from './failure.js';
import { byteLength } from './fields.js';
import { idOf } from './id.js';
import type { JsonObject } from './json.js';

/** Who says a turn. */
export const ROLES = ['user', 'assistant', 'system', 'tool'] as const;
export type Role = (typeof ROLES)[number];

/** Whose turns are indexed and read for facts; the others are kept verbatim all the same. */
export const ROLES_READ = ['both', 'user_only', 'assistant_only'] as const;
export type RolesRead = (typeof ROLES_READ)[number];

/** Bytes (UTF-8) that one turn's text and metadata may have together: it travels in one update, beside others. */
export const TURN_MAX_BYTES = 262_144;

/** One turn as `remember` is given it. */
export interface TurnToRemember {
  readonly role: Role;
  readonly text: string;
  /** The caller's own name for the turn, 1 to 256 characters; else it is known by role, speaker, time and content. */
  readonly key?: string;
  readonly speaker?: string;
  /** Event time: ISO 8601 with a zone, or seconds or milliseconds since 1970. */
  readonly at?: string | number;
  /** The caller's own, plain JSON, kept apart from our fields. */
  readonly metadata?: JsonObject;
}

/** A stored turn as workflow state holds it: never its text. */
export interface TurnRef {
  readonly turnId: string;
  readonly sequence: number;
  /** By the built-in estimate; at least 1. */
  readonly tokens: number;
}

/** What topic segments and short-term memory are made of. */
export interface Topic {
  readonly topicId: string;
  readonly turns: readonly TurnRef[];
}

/** What went from the sensory buffer before what is in it now. */
export interface Preceding {
  /** Of the last of these turns. */
  readonly topicId: string;
  /** The latest, in order. */
  readonly turnIds: readonly string[];
}

/** A turn that was checked: its time in UTC, its key made where the caller gave none. */
export type CheckedTurn = Omit<TurnToRemember, 'at' | 'key'> & { readonly key: string; readonly at?: string };

/** The node of a turn: the same for the same key in the same conversation, in any attempt anywhere. */
export const turnIdOf = (space: string, conversation: string, key: string): string => idOf('turn', space, conversation, key);

/** Whether turns in this role are indexed and read for facts. Tool results belong to the assistant's work; instructions to no talk. */
export function isRead(role: Role, read: RolesRead): boolean {
  if (role === 'system') return false;
  return read === 'both' || (read === 'user_only') === (role === 'user');
}

/** Characters that show nothing: white space, format and control characters, and the fillers that Unicode counts as letters. */
const INVISIBLE = /[\s\p{Cf}\p{Cc}\u115f\u1160\u2800\u3164\uffa0]/gu;

/** Whether a text says nothing: empty, white space, zero-width. */
export const saysNothing = (text: string): boolean => text.replace(INVISIBLE, '') === '';

/**
 * A turn checked, with its key and its time in UTC. Fails with `validation` naming the field, `bad_timestamp` quoting the value,
 * or `too_large` naming size and limit. Pure: the client calls it before it sends, the workflow since others send too.
 */
export function checkTurn(turn: unknown): CheckedTurn {
  if (typeof turn !== 'object' || turn === null || Array.isArray(turn)) throw invalid('a turn is an object with role and text');
  const { role, text, key, speaker, at, metadata } = turn as Partial<Record<keyof TurnToRemember, unknown>>;
  const known = ROLES.find((one) => one === role);
  if (known === undefined) throw invalid(`role is ${shown(role)}; it must be one of ${ROLES.join(', ')}`);
  if (typeof text !== 'string') throw invalid(`text is ${shown(text)}; it must be a string`);
  if (metadata !== undefined && !isPlainObject(metadata))
    throw invalid(`metadata is ${shown(metadata)}; it must be an object of plain JSON`);
  const name = optionalName('speaker', speaker);
  const time = at === undefined ? undefined : eventTime(at, 'UTC');
  const checked = {
    role: known,
    text,
    ...(name !== undefined && { speaker: name }),
    ...(time !== undefined && { at: time }),
    ...(metadata !== undefined && { metadata: metadata as JsonObject }),
  };
  refuseLarge(checked);
  return { ...checked, key: optionalName('key', key) ?? idOf('turn key', known, name ?? '', time ?? '', text) };
}

function refuseLarge({ text, metadata }: { text: string; metadata?: JsonObject }): void {
  const bytes = byteLength(text) + (metadata === undefined ? 0 : byteLength(JSON.stringify(metadata)));
  if (bytes <= TURN_MAX_BYTES) return;
  throw new EngraphError(
    'too_large',
    `a turn of ${bytes} bytes is over the limit of ${TURN_MAX_BYTES}: cut it into several, or learn it as a document`,
    {
      details: { bytes, limit: TURN_MAX_BYTES },
    },
  );
}

function optionalName(field: string, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string' && value.length > 0 && value.length <= 256) return value;
  throw invalid(`${field} must be text of 1 to 256 characters`);
}

const isPlainObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value that is no text, short enough for a message; texts may be memory and are only named as such. */
function shown(value: unknown): string {
  if (typeof value === 'string') return value.length <= 32 ? JSON.stringify(value) : 'a long text';
  if (value === null || value === undefined || typeof value === 'number' || typeof value === 'boolean') return String(value);
  return Array.isArray(value) ? 'a list' : 'an object';
}

const invalid = (message: string): EngraphError => new EngraphError('validation', message);
