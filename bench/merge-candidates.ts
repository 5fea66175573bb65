import { candidateLinks } from '../src/domain/candidates.js';
import type { Embedder } from '../src/ports/embedder.js';
import { FreshFacts } from '../src/store/fresh-facts.js';
import { Nominating } from '../src/store/nominating.js';
import type { LabelledPair } from './merge-data.js';
import { factIdOf, observed } from './merge-space.js';
import type { Conversation } from './recall-locomo.js';

/** What became of a pair when its later fact was looked at among all observations of the conversation. */
export interface Met {
  readonly pair: LabelledPair;
  /** Found by the search or a rare name at all. */
  readonly nominated: boolean;
  /** Shown to a model, or merged without one: the earlier is among the later one's candidates. */
  readonly candidate: boolean;
}

/** Every pair whose conversation is known and holds both observations; the others are `unknown`. */
export async function meetings(pairs: readonly LabelledPair[], conversations: readonly Conversation[], embedder: Embedder) {
  const met: Met[] = [];
  const unknown: LabelledPair[] = [];
  for (const conversation of conversations) {
    const here = pairs.filter((pair) => pair.conversation === conversation.name);
    if (here.length === 0) continue;
    const memory = await observed(conversation, embedder);
    const { facts } = await new FreshFacts(memory.store, memory.nodes).read(conversation.name, { most: Infinity });
    for (const pair of here) {
      const [earlier, later] = [pair.earlier, pair.later].map((one) => placeOf(conversation, one));
      const fresh = facts.filter(({ fact }) => fact.id === later);
      if (earlier === undefined || later === undefined || fresh.length === 0) {
        unknown.push(pair);
        continue;
      }
      const { facts: known, nominations } = await new Nominating(memory.store).nominate(conversation.name, fresh);
      const links = candidateLinks(known, nominations);
      met.push({
        pair,
        nominated: nominations.some(({ other }) => other === earlier),
        candidate: links.some((link) => link.earlier === earlier && link.later === later),
      });
    }
  }
  const names = new Set(conversations.map(({ name }) => name));
  unknown.push(...pairs.filter(({ conversation }) => !names.has(conversation)));
  return { met, unknown };
}

function placeOf({ name, observations }: Conversation, { text, at, turns }: LabelledPair['earlier']): string | undefined {
  const same = observations.flatMap((one, place) => (one.text === text ? [{ one, place }] : []));
  const exact = same.find(({ one }) => one.at === at || one.turns.some((turn) => turns.includes(turn)));
  const place = (exact ?? same[0])?.place;
  return place === undefined ? undefined : factIdOf(name, place);
}
