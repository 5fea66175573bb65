import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { eventTime } from '../src/domain/event-time.js';
import { EngraphError } from '../src/domain/failure.js';
import { readData, readLocomo, type Conversation } from './recall-locomo.js';

/** Two observations of one speaker, the second of a later session, and what they are to each other. */
export interface LabelledPair {
  readonly conversation: string;
  readonly speaker: string;
  readonly earlier: { readonly text: string; readonly at: string; readonly turns: readonly string[] };
  readonly later: { readonly text: string; readonly at: string; readonly turns: readonly string[] };
  readonly label: 'duplicate' | 'update' | 'keep';
}

interface RawPair {
  readonly conv: string;
  readonly speaker: string;
  readonly a: string;
  readonly b: string;
  readonly a_date: string;
  readonly b_date: string;
  readonly a_src?: readonly string[];
  readonly b_src?: readonly string[];
  readonly label: LabelledPair['label'];
}

const LABELS: readonly string[] = ['duplicate', 'update', 'keep'];

/** One pair a line. Fails with `validation` for a line that is none, naming it, and `bad_timestamp` for its time. */
export function readPairs(bytes: Uint8Array, file: string): LabelledPair[] {
  const lines = new TextDecoder().decode(bytes).split('\n');
  return lines.flatMap((line, at): LabelledPair[] => {
    if (line.trim() === '') return [];
    const raw = JSON.parse(line) as Partial<RawPair>;
    const { conv, speaker, a, b, a_date: before, b_date: after, label } = raw;
    if (conv === undefined || speaker === undefined || a === undefined || b === undefined || !LABELS.includes(String(label)))
      throw new EngraphError('validation', `line ${at + 1} of ${file} is no pair: conv, speaker, a, b, a_date, b_date and label`);
    const one = { text: a, at: eventTime(before, 'UTC'), turns: raw.a_src ?? [] };
    const other = { text: b, at: eventTime(after, 'UTC'), turns: raw.b_src ?? [] };
    const [earlier, later] = one.at <= other.at ? [one, other] : [other, one];
    return [{ conversation: conv, speaker, earlier, later, label: label as LabelledPair['label'] }];
  });
}

/** LoCoMo conversations from the file named, else from every file beside the data that is one. */
export async function conversationsBeside(data: string, named: string | undefined): Promise<Conversation[]> {
  const folder = dirname(data);
  const beside = async () => (await readdir(folder)).filter((file) => file.endsWith('.json')).sort();
  const files = named === undefined ? (await beside()).map((file) => join(folder, file)) : [named];
  const conversations = new Map<string, Conversation>();
  for (const file of files) {
    const bytes = await readData(file);
    if (bytes === undefined) continue;
    if (named === undefined && !isLocomo(bytes)) continue;
    for (const one of await readLocomo(bytes, file)) conversations.set(one.name, one);
  }
  return [...conversations.values()];
}

function isLocomo(bytes: Uint8Array): boolean {
  const raw = JSON.parse(new TextDecoder().decode(bytes)) as unknown;
  const fits = (one: { qa?: unknown; conversation?: unknown; observation?: unknown } | null): boolean =>
    Array.isArray(one?.qa) && typeof one.conversation === 'object' && typeof one.observation === 'object';
  return Array.isArray(raw) && raw.length > 0 && raw.every(fits);
}
