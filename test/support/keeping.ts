import type { SleepResult } from '../../src/domain/sleep-result.js';
import type { ReconcileReply } from '../../src/prompts/inputs-reconcile.js';
import { factsReply } from './conversations.js';
import type { Stage } from './environment.js';
import { chatReply, type Responder, type SeenRequest } from './scripted-openai.js';

/** What a model is asked about one fact. */
export interface Asked {
  readonly fact: string;
  /** The memories shown, by their numbers from 1. */
  readonly memories: readonly string[];
  /** The number under which this memory is shown; 0 where it is not. */
  numberOf(memory: string): number;
}

/** A chat server that draws from each turn the facts named for its text, and judges every fact that it is asked about. */
export function keeping(
  factsOf: Readonly<Record<string, readonly string[]>>,
  judge: (asked: Asked) => ReconcileReply['verdicts'],
): Responder {
  return (request) => {
    const { system, user } = messagesOf(request);
    if (system.includes('You keep a memory of facts true')) {
      const memories = blocks(user, 'memory');
      const numberOf = (memory: string): number => memories.indexOf(memory) + 1;
      const verdicts = judge({ fact: blocks(user, 'fact')[0] ?? '', memories, numberOf });
      return chatReply(JSON.stringify({ reason: 'as scripted', verdicts }));
    }
    const facts = blocks(user, 'turn').flatMap((turn, at) => (factsOf[turn] ?? []).map((text) => ({ turn: at + 1, text })));
    return chatReply(JSON.stringify(factsReply(facts)));
  };
}

/** Holds what is fresh against what is older, and nothing else. */
export const consolidate = async ({ client }: Stage, space: string): Promise<SleepResult> =>
  await client.sleep(space, { phases: ['reconcile'] });

const blocks = (text: string, tag: string): string[] =>
  [...text.matchAll(new RegExp(`<${tag}\\b[^>]*>([^<]*)</${tag}>`, 'gu'))].map(([, inner]) => inner ?? '');

function messagesOf({ body }: SeenRequest): { system: string; user: string } {
  const messages = body['messages'] as readonly { role: string; content: string }[];
  const of = (role: string): string => messages.find((message) => message.role === role)?.content ?? '';
  return { system: of('system'), user: of('user') };
}
