import { readFile } from 'node:fs/promises';

import { EngraphError } from '../src/domain/failure.js';

/** Categories of LoCoMo's questions that have evidence; the fifth, adversarial, has none. */
export const CATEGORIES: Readonly<Record<number, string>> = { 1: 'multi-hop', 2: 'temporal', 3: 'open-domain', 4: 'single-hop' };

/** One turn of a conversation. `text` is what was said, a photo's caption after it. */
export interface Turn {
  readonly id: string;
  readonly speaker: string;
  readonly text: string;
  /** Number of its session in the file, from 1. */
  readonly session: number;
  /** When its session began, ISO 8601; the file's times have no zone and are read as UTC. */
  readonly at: string;
}

/** One of the file's own observations: what a language model of the data set's authors drew from these turns. */
export interface Observation {
  readonly text: string;
  readonly speaker: string;
  /** Ids of turns, at least one. */
  readonly turns: readonly string[];
  /** When the session of the first of them began. */
  readonly at: string;
}

export interface Question {
  readonly text: string;
  readonly category: string;
  /** Ids of turns of the same conversation, at least one. */
  readonly evidence: readonly string[];
}

export interface Conversation {
  readonly name: string;
  readonly turns: readonly Turn[];
  readonly questions: readonly Question[];
  readonly observations: readonly Observation[];
}

interface RawConversation {
  readonly sample_id: string;
  readonly conversation: Readonly<Record<string, unknown>>;
  readonly qa: readonly { readonly question: string; readonly category: number; readonly evidence?: readonly string[] }[];
  readonly observation?: Readonly<
    Record<string, Readonly<Record<string, readonly (readonly [string, string | readonly string[]])[]>>>
  >;
}

/**
 * A LoCoMo file (a list of conversations in the official form) with its evidence repaired: `D:11:26` means D11:26, `D30:05`
 * means D30:5, several ids in one string are several; ids of no turn, and questions left without evidence, are dropped.
 */
export async function readLocomo(bytes: Uint8Array, file: string): Promise<Conversation[]> {
  const raw = JSON.parse(new TextDecoder().decode(bytes)) as readonly RawConversation[];
  if (!Array.isArray(raw) || raw.some((one) => !Array.isArray(one.qa) || typeof one.conversation !== 'object')) {
    throw new EngraphError('validation', `${file} is no LoCoMo file: a list of conversations, each with qa and conversation`);
  }
  return await Promise.resolve(raw.map(conversationOf));
}

function conversationOf({ sample_id: name, conversation, qa, observation = {} }: RawConversation): Conversation {
  const turns = turnsOf(conversation);
  const known = new Set(turns.map(({ id }) => id));
  const questions = qa.flatMap(({ question, category, evidence = [] }): Question[] => {
    const found = turnIds(evidence).filter((id) => known.has(id));
    const kind = CATEGORIES[category];
    return kind === undefined || found.length === 0 ? [] : [{ text: question, category: kind, evidence: found }];
  });
  const times = new Map(turns.map(({ id, at }) => [id, at]));
  const observations = Object.values(observation).flatMap((speakers) =>
    Object.entries(speakers).flatMap(([speaker, said]) =>
      said.flatMap(([text, ids]): Observation[] => {
        const found = turnIds([ids].flat()).filter((id) => known.has(id));
        const at = times.get(found[0] ?? '');
        return at === undefined ? [] : [{ text, speaker, turns: found, at }];
      }),
    ),
  );
  return { name, turns, questions, observations };
}

/** The turn ids in these strings, each once, in one way of writing. */
function turnIds(texts: readonly string[]): string[] {
  const ids = texts.flatMap((text) =>
    [...text.matchAll(/D:?(\d+):(\d+)/gu)].map(([, session, turn]) => `D${Number(session)}:${Number(turn)}`),
  );
  return [...new Set(ids)];
}

/** `1:56 pm on 8 May, 2023`, read as UTC. */
function timeOf(conversation: Readonly<Record<string, unknown>>, session: number): string {
  const said = String(conversation[`session_${session}_date_time`]);
  const [, hour, minute, half, date] = /^(\d+):(\d+) (am|pm) on (\d+ \w+,? \d+)$/u.exec(said.trim()) ?? [];
  const day = Date.parse(`${date} UTC`);
  if (Number.isNaN(day))
    throw new EngraphError('validation', `session ${session} of a LoCoMo file has the time ${JSON.stringify(said)}`);
  const hours = (Number(hour) % 12) + (half === 'pm' ? 12 : 0);
  return new Date(day + (hours * 60 + Number(minute)) * 60_000).toISOString();
}

function turnsOf(conversation: Readonly<Record<string, unknown>>): Turn[] {
  const turns: Turn[] = [];
  for (let session = 1; Array.isArray(conversation[`session_${session}`]); session++) {
    const at = timeOf(conversation, session);
    const said = conversation[`session_${session}`] as readonly {
      speaker: string;
      dia_id: string;
      text: string;
      blip_caption?: string;
    }[];
    for (const { speaker, dia_id: id, text, blip_caption: caption } of said) {
      const shown = caption === undefined ? text : `${text} [shares a photo: ${caption}]`;
      turns.push({ id, speaker, text: shown, session, at });
    }
  }
  return turns;
}

/** Reads the file that a bench was given; undefined where there is none to read. */
export async function readData(file: string | undefined): Promise<Uint8Array | undefined> {
  if (file === undefined) return undefined;
  try {
    return await readFile(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
