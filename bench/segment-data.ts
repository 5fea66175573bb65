import { EngraphError } from '../src/domain/failure.js';
import type { Conversation } from './recall-locomo.js';

/** A dialogue whose topic borders are known. */
export interface Dialogue {
  readonly name: string;
  readonly texts: readonly string[];
  readonly speakers: readonly string[];
  /** Indexes of the turns that start a topic, never 0. */
  readonly starts: readonly number[];
}

interface Tiage {
  readonly dial_id: number;
  readonly utterances: readonly string[];
  readonly segments: readonly number[];
  readonly set?: string;
}

interface Stripped {
  readonly conv: string;
  readonly stripped_ids: readonly string[];
  readonly stripped_bounds: readonly string[];
}

/**
 * Dialogues of a TIAGE file (where parts are told apart, its test part, or all others for a fit) or of a list of LoCoMo conversations without the ends of
 * their sessions, whose turns come from `conversations`. Fails with `validation` for any other file, and for a turn that is in
 * no conversation.
 */
export function dialoguesOf(raw: unknown, conversations: readonly Conversation[], { forFit = false } = {}): Dialogue[] {
  if (!Array.isArray(raw) || raw.length === 0) throw unknown();
  const first = raw[0] as Partial<Tiage & Stripped>;
  if (Array.isArray(first.utterances)) {
    const all = raw as readonly Tiage[];
    const part = all.filter(({ set }) => (set === 'test') !== forFit);
    return (all.some(({ set }) => set === 'test') ? part : all).map(tiageDialogue);
  }
  if (Array.isArray(first.stripped_ids)) return (raw as readonly Stripped[]).map((one) => strippedDialogue(one, conversations));
  throw unknown();
}

function tiageDialogue({ dial_id: id, utterances, segments }: Tiage): Dialogue {
  const starts: number[] = [];
  segments.slice(0, -1).forEach((length) => starts.push((starts.at(-1) ?? 0) + length));
  return { name: String(id), texts: utterances, speakers: utterances.map((_, at) => (at % 2 === 0 ? 'a' : 'b')), starts };
}

function strippedDialogue(
  { conv, stripped_ids: ids, stripped_bounds: bounds }: Stripped,
  conversations: readonly Conversation[],
): Dialogue {
  const turns = new Map(conversations.find(({ name }) => name === conv)?.turns.map((turn) => [turn.id, turn]));
  const said = ids.map((id) => {
    const turn = turns.get(id);
    if (!turn)
      throw new EngraphError('validation', `turn ${id} of ${conv} is in no conversation: name its LoCoMo file with --locomo`);
    return turn;
  });
  const isBound = new Set(bounds);
  return {
    name: conv,
    texts: said.map(({ text }) => text),
    speakers: said.map(({ speaker }) => speaker),
    starts: ids.flatMap((id, at) => (at > 0 && isBound.has(id) ? [at] : [])),
  };
}

const unknown = (): EngraphError =>
  new EngraphError(
    'validation',
    'the file is neither TIAGE (a list with utterances and segments) nor stripped LoCoMo (a list with stripped_ids and stripped_bounds)',
  );
