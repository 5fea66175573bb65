import { EngraphError } from './domain/failure.js';
import { idOf } from './domain/id.js';
import type { Message } from './domain/message.js';

/** The messages of one conversation in a file. */
export interface ConversationInFile {
  readonly conversation: string;
  readonly messages: readonly Message[];
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * The conversations in a file's text: JSON Lines of messages (of several conversations where they bear the field
 * `conversation`) or of objects with `messages`, a JSON list of either, the export of ChatGPT (the branch that was shown last),
 * or the data set LoCoMo. `name` names what has no name of its own. A message that is word for word in the file again is kept
 * as often as it is there, and the same file again adds nothing. Fails with `validation`, naming the line that is no JSON.
 */
export function conversationsIn(text: string, name: string): ConversationInFile[] {
  const values = valuesIn(text.replace(/^\ufeff/u, ''));
  const found: ConversationInFile[] = [];
  const loose = new Map<string, Message[]>();
  values.forEach((value, at) => {
    if (!isFields(value)) throw new EngraphError('validation', `entry ${at + 1} of the file is no message: it must be an object`);
    const whole = wholeConversation(value, values.length === 1 ? name : `${name}-${at + 1}`);
    if (whole !== undefined) found.push(whole);
    else {
      const conversation = typeof value['conversation'] === 'string' ? value['conversation'] : name;
      loose.set(conversation, [...(loose.get(conversation) ?? []), value as Message]);
    }
  });
  return [...found, ...[...loose].map(([conversation, messages]) => ({ conversation, messages }))].map(
    ({ conversation, messages }) => ({
      conversation,
      messages: withRepeats(messages),
    }),
  );
}

/** One JSON document, a list taken apart; else a JSON document a line. */
function valuesIn(text: string): readonly unknown[] {
  try {
    const value = JSON.parse(text) as unknown;
    return Array.isArray(value) ? (value as unknown[]) : [value];
  } catch (error) {
    const lines = text.split(/\r?\n/u).map((line, at) => ({ line, number: at + 1 }));
    const full = lines.filter(({ line }) => line.trim() !== '');
    if (full.length === 0) throw new EngraphError('validation', 'the file is empty', { cause: error });
    return full.map(({ line, number }) => parsed(line, number));
  }
}

function parsed(line: string, number: number): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new EngraphError(
      'validation',
      `line ${number} of the file is no JSON; a file is JSON Lines of messages, a JSON list, or an export`,
      { cause: error, details: { line: number } },
    );
  }
}

function wholeConversation(value: Fields, name: string): ConversationInFile | undefined {
  const own = [value['sample_id'], value['conversation_id'], value['id'], value['title']].find(
    (one) => typeof one === 'string' && one !== '',
  ) as string | undefined;
  if (Array.isArray(value['messages'])) return { conversation: own ?? name, messages: value['messages'] as Message[] };
  if (isFields(value['mapping']))
    return { conversation: own ?? name, messages: shownBranch(value['mapping'], value['current_node']) };
  const sessions = isFields(value['conversation']) ? value['conversation'] : value;
  if (Object.keys(sessions).some((field) => SESSION.test(field)))
    return { conversation: own ?? name, messages: sessionsOf(sessions) };
  return undefined;
}

const SESSION = /^session_(?<number>\d+)$/u;

/** LoCoMo: sessions in order, each with one time; both speakers are people. A picture stands as its caption. */
function sessionsOf(sessions: Fields): Message[] {
  const numbers = Object.keys(sessions).flatMap((field) => Number(SESSION.exec(field)?.groups?.['number'] ?? Number.NaN) || []);
  return numbers
    .sort((a, b) => a - b)
    .flatMap((number) => {
      const turns = sessions[`session_${number}`];
      const at = sessions[`session_${number}_date_time`];
      return (Array.isArray(turns) ? turns.filter(isFields) : []).map((turn): Message => {
        const caption = turn['blip_caption'];
        const picture = typeof caption === 'string' ? [{ type: 'image', caption }] : [];
        return {
          ...{ role: 'user', content: [turn['text'], ...picture], ...(at !== undefined && { at }) },
          ...(typeof turn['speaker'] === 'string' && { speaker: turn['speaker'] }),
          ...(typeof turn['dia_id'] === 'string' && { key: turn['dia_id'] }),
        };
      });
    });
}

/** ChatGPT's export is a tree of answers made again; what was shown last leads from the current node to the root. */
function shownBranch(mapping: Fields, current: unknown): Message[] {
  const messages: Message[] = [];
  const seen = new Set<string>();
  const last = typeof current === 'string' ? current : (Object.keys(mapping).at(-1) ?? '');
  for (let node = mapping[last], id = last; isFields(node) && !seen.has(id); id = String(node['parent']), node = mapping[id]) {
    seen.add(id);
    const { message } = node;
    if (isFields(message)) messages.push(exported(message));
  }
  return messages.reverse();
}

function exported(message: Fields): Message {
  const { author, content, create_time: at, id } = message;
  const { role, name } = isFields(author) ? author : {};
  const parts = isFields(content) ? (content['parts'] ?? content['text'] ?? content['result']) : content;
  return {
    ...{ role: String(role), content: parts ?? null },
    ...(typeof name === 'string' && { name }),
    ...(typeof at === 'number' && { at }),
    ...(typeof id === 'string' && { key: id }),
  };
}

/** Gives the second and later of messages that are the same word for word a key of their own. */
function withRepeats(messages: readonly Message[]): Message[] {
  const times = new Map<string, number>();
  return messages.map((message) => {
    if (!isFields(message) || message.key !== undefined || message.id !== undefined) return message;
    const words = JSON.stringify(message);
    const before = times.get(words) ?? 0;
    times.set(words, before + 1);
    return before === 0 ? message : { ...message, key: idOf('repeated message', words, before) };
  });
}

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);
