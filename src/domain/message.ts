import { eventTime } from './event-time.js';
import { EngraphError, type FailureKind } from './failure.js';
import type { Json, JsonObject } from './json.js';
import { textOfCalls, textOfContent } from './message-content.js';
import { redactSecrets, withoutSecrets } from './redact.js';
import { checkTurn, ROLES, saysNothing, type CheckedTurn, type Role } from './turn.js';

/**
 * A message in the shapes that people send: OpenAI's chat messages with whatever is missing, and ours. Unknown fields are let be.
 */
export interface Message {
  /** `developer` counts as system, `function` as tool; may be left out where there is a speaker, who is then a user. */
  readonly role?: string;
  /** Text, parts, null or nothing. */
  readonly content?: unknown;
  /** Who speaks; `name` is the same. */
  readonly speaker?: string;
  readonly name?: string;
  /** When it was said, see `eventTime`; `timestamp`, `time`, `created_at` and `create_time` are the same. */
  readonly at?: unknown;
  /** The caller's name for the message, by which it is stored once; `id` is the same. */
  readonly key?: string | number;
  readonly id?: string | number;
  readonly metadata?: JsonObject;
  readonly [field: string]: unknown;
}

/** What messages came to. Positions count the messages of the call from 0. */
export interface ReadMessages {
  readonly turns: readonly { readonly index: number; readonly turn: CheckedTurn }[];
  /** Messages that say nothing, and those of a call that holds nothing but instructions. */
  readonly empty: readonly number[];
  readonly refused: readonly { readonly index: number; readonly kind: FailureKind; readonly message: string }[];
}

/** Where a message stands in its call, and what a user knows it by. */
interface Place {
  readonly index: number;
  readonly name: string;
}

const ROLE_NAMES: Readonly<Record<string, Role>> = { developer: 'system', function: 'tool', human: 'user', ai: 'assistant' };
const TIMES = ['at', 'timestamp', 'time', 'created_at', 'create_time'];

/**
 * Turns made of messages, secrets redacted; zoneless times are of the clock in `zone`. One bad time, or one turn too large, is refused by itself
 * and leaves the others as they are. What is no message at all (no list, an unknown role, content of no known kind) fails the
 * call with `validation`, naming the message (by its index, unless `nameOf` says otherwise) and the field: then nothing is sent.
 */
export function readMessages(
  messages: unknown,
  zone: string,
  nameOf: (index: number) => string = (index) => `message ${index}`,
): ReadMessages {
  if (!Array.isArray(messages)) throw new EngraphError('validation', `messages must be a list, not ${describe(messages)}`);
  const tools = new Map<string, string>();
  const turns: { index: number; turn: CheckedTurn }[] = [];
  const [empty, refused]: [number[], ReadMessages['refused'][number][]] = [[], []];
  messages.forEach((message: unknown, index) => {
    try {
      const turn = turnOf(message, { index, name: nameOf(index) }, zone, tools);
      if (turn === undefined) empty.push(index);
      else turns.push({ index, turn });
    } catch (error) {
      if (!(error instanceof EngraphError) || (error.kind !== 'bad_timestamp' && error.kind !== 'too_large')) throw error;
      refused.push({ index, kind: error.kind, message: error.message });
    }
  });
  if (turns.some(({ turn }) => turn.role !== 'system')) return { turns, empty, refused };
  return { turns: [], empty: [...empty, ...turns.map(({ index }) => index)].sort((a, b) => a - b), refused };
}

function turnOf(message: unknown, place: Place, zone: string, tools: Map<string, string>): CheckedTurn | undefined {
  if (typeof message !== 'object' || message === null || Array.isArray(message)) {
    throw invalid(place, `must be an object with role and content, not ${describe(message)}`);
  }
  const fields = message as Readonly<Record<string, unknown>>;
  const at = TIMES.map((name) => fields[name]).find((value) => value !== undefined && value !== null);
  const role = roleOf(fields, place);
  const text = redactSecrets(textOf(fields, place, tools)).text;
  if (saysNothing(text)) return undefined;
  const speaker = speakerOf(fields, role, tools);
  const key = fields['key'] ?? fields['id'];
  return named(place, () =>
    checkTurn({
      ...{ role, text },
      ...(speaker !== undefined && { speaker }),
      ...(at !== undefined && { at: eventTime(at, zone) }),
      ...(key !== undefined && key !== null && { key: typeof key === 'number' ? String(key) : key }),
      ...(fields['metadata'] !== undefined &&
        fields['metadata'] !== null && { metadata: withoutSecrets(fields['metadata'] as Json) }),
    }),
  );
}

function roleOf({ role, speaker, name }: Readonly<Record<string, unknown>>, place: Place): Role {
  if (role === undefined && (typeof speaker === 'string' || typeof name === 'string')) return 'user';
  const found =
    typeof role === 'string'
      ? (ROLES.find((one) => one === role) ?? (Object.hasOwn(ROLE_NAMES, role) ? ROLE_NAMES[role] : undefined))
      : undefined;
  if (found !== undefined) return found;
  throw invalid(
    place,
    `has the role ${typeof role === 'string' ? JSON.stringify(role.slice(0, 32)) : describe(role)}; role must be one of ${ROLES.join(', ')}`,
  );
}

/** Content and calls of tools, in that order; a call is a turn too, since what was done is worth remembering. */
function textOf(fields: Readonly<Record<string, unknown>>, place: Place, tools: Map<string, string>): string {
  const content = fields['content'] ?? fields['text'];
  const said = textOfContent(content);
  if (said === undefined)
    throw invalid(place, `has content that is ${describe(content)}; content must be text, a list of parts, or null`);
  const refusal = typeof fields['refusal'] === 'string' ? fields['refusal'] : '';
  return [said, refusal, textOfCalls(fields['tool_calls'] ?? fields['function_call'], tools)]
    .filter((part) => part !== '')
    .join('\n');
}

function speakerOf(
  fields: Readonly<Record<string, unknown>>,
  role: Role,
  tools: ReadonlyMap<string, string>,
): string | undefined {
  const named = [fields['speaker'], fields['name']].find((value) => typeof value === 'string' && value.trim() !== '');
  const called = role === 'tool' ? tools.get(String(fields['tool_call_id'])) : undefined;
  return typeof named === 'string' ? named.trim() : called;
}

function named<T>({ index, name }: Place, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof EngraphError)) throw error;
    throw new EngraphError(error.kind, `${name}: ${error.message}`, {
      cause: error,
      details: { ...error.details, index },
    });
  }
}

const invalid = ({ index, name }: Place, what: string): EngraphError =>
  new EngraphError('validation', `${name} ${what}`, { details: { index } });

function describe(value: unknown): string {
  if (value === undefined) return 'missing';
  return value === null ? 'null' : Array.isArray(value) ? 'a list' : `of type ${typeof value}`;
}
