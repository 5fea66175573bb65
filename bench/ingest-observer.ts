import { encode } from 'gpt-tokenizer/encoding/o200k_base';

import { EngraphError } from '../src/domain/failure.js';
import type { Message } from '../src/domain/message.js';
import type { Completion, LanguageModel, Prompt, Usage } from '../src/ports/language-model.js';
import type { FactsInput, FactsReply, FactsTurn } from '../src/prompts/inputs-facts.js';
import type { Conversation, Observation, Turn } from './recall-locomo.js';

/** Tokens by o200k_base, as current models of OpenAI's count them. */
export const tokensOf = (text: string): number => encode(text).length;

/** A turn's event time: its session's, a second later for each turn before it in the file, so that a time names one turn. */
const timeOf = ({ at }: Turn, place: number): string => new Date(Date.parse(at) + place * 1_000).toISOString();

/** A conversation's turns as a caller sends them: the file's ids are their keys. */
export const messagesOf = ({ turns }: Conversation): Message[] =>
  turns.map((turn, place) => ({
    role: 'user',
    speaker: turn.speaker,
    content: turn.text,
    at: timeOf(turn, place),
    key: turn.id,
  }));

/** What the dialogue itself has, as a reader sees it: each turn with its speaker. */
export const dialogueTokens = ({ turns }: Conversation): number =>
  turns.reduce((sum, { speaker, text }) => sum + tokensOf(`${speaker}: ${text}`), 0);

/**
 * A model that answers the question for facts from the data set's own observations, each where its last turn is shown, and keeps
 * its own count of what it was asked: what a ledger is held against.
 */
export class ObservingModel implements LanguageModel {
  readonly name = 'scripted by observations';
  readonly isLanguageModel = true;
  readonly #byTime: ReadonlyMap<string, readonly Observation[]>;
  counted: Usage = { calls: 0, inputTokens: 0, outputTokens: 0 };

  constructor({ turns, observations }: Conversation) {
    const place = new Map(turns.map(({ id }, at) => [id, at]));
    const last = ({ turns: ids }: Observation): string =>
      [...ids].sort((a, b) => (place.get(b) ?? 0) - (place.get(a) ?? 0))[0] ?? '';
    this.#byTime = new Map(turns.map((turn, at) => [timeOf(turn, at), observations.filter((one) => last(one) === turn.id)]));
  }

  complete({ name, system, user, input }: Prompt): Promise<Completion> {
    if (name !== 'facts' && name !== 'reconcile')
      throw new EngraphError('llm_rejected', `the observing model has no answer to ${name}`);
    // What is true of the observations nobody knows: a sleep that asks is told to keep them.
    const reply = name === 'facts' ? this.#reply(input as FactsInput) : { reason: 'Nobody knows.', verdicts: [] };
    const text = JSON.stringify(reply);
    const usage = { calls: 1, inputTokens: tokensOf(system) + tokensOf(user), outputTokens: tokensOf(text) };
    const { calls, inputTokens, outputTokens } = this.counted;
    this.counted = {
      calls: calls + 1,
      inputTokens: inputTokens + usage.inputTokens,
      outputTokens: outputTokens + usage.outputTokens,
    };
    return Promise.resolve({ text, usage });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #reply({ sections }: FactsInput): FactsReply {
    return {
      topics: sections.map(({ n, turns }) => {
        const facts = turns.flatMap((turn) =>
          this.#observed(turn).map(({ text }) => ({ turn: turn.n, saidBy: 'user' as const, text, when: null })),
        );
        const summary = facts[0]?.text ?? 'Small talk.';
        return { section: n, title: summary.split(' ').slice(0, 5).join(' '), summary, facts };
      }),
    };
  }

  #observed({ at }: FactsTurn): readonly Observation[] {
    const found = at === undefined ? undefined : this.#byTime.get(at);
    if (found === undefined)
      throw new EngraphError(
        'validation',
        `the observing model was shown a turn of ${at ?? 'no time'}, which the data set does not have`,
      );
    return found;
  }
}
