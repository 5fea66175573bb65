import assert from 'node:assert/strict';

import { RulesModel } from '../../src/adapters/rules.js';
import { factsPrompt, parseFacts } from '../../src/prompts/facts.js';
import type { FactsReply, FactsTurn } from '../../src/prompts/inputs-facts.js';

const ask = async (...turns: readonly Partial<FactsTurn>[]): Promise<FactsReply> => {
  const shown = turns.map((turn, at): FactsTurn => ({ n: at + 1, role: 'user', text: '', ...turn }));
  return parseFacts((await new RulesModel().complete(factsPrompt({ sections: [{ n: 1, turns: shown }] }))).text);
};

describe('facts by rules', () => {
  it('are what somebody states of themselves, in their own words, each with its turn', async () => {
    const { topics } = await ask(
      { speaker: 'Mira', text: 'Hello! I keep two ferrets. Do you have pets?' },
      { role: 'assistant', text: 'I suggest the lentil soup. It is good.' },
      { text: 'My flight to Lisbon was last week.' },
    );
    assert.deepEqual(topics[0]?.facts, [
      { turn: 1, saidBy: 'user', text: 'Mira said: I keep two ferrets.', when: null },
      { turn: 2, saidBy: 'assistant', text: 'The assistant said: I suggest the lentil soup.', when: null },
      { turn: 3, saidBy: 'user', text: 'The user said: My flight to Lisbon was last week.', when: 'last week' },
    ]);
  });

  it('are not drawn from questions, small talk, other people or tools', async () => {
    const { topics } = await ask(
      { text: 'Where can I buy hay?' },
      { text: 'Thanks, I really like you.' },
      { text: 'Ann likes tea.' },
      { text: 'I see.' },
      { role: 'tool', text: 'I booked seat 14C.' },
    );
    assert.deepEqual(topics[0]?.facts, []);
  });

  it('name a topic by its most frequent words, and sum it up in the sentence that has most of them', async () => {
    const { topics } = await ask(
      { speaker: 'Mira', text: "I'm fine. The ferrets need grass." },
      { speaker: 'Bo', text: 'Ferrets eat meat. Hay is very cheap, and ferrets love hay.' },
    );
    assert.ok(/ferrets.*hay/iu.test(topics[0]?.title ?? ''), topics[0]?.title);
    assert.equal(topics[0]?.summary, 'Bo said: Hay is very cheap, and ferrets love hay.');
  });

  it('say so where there is nothing to tell', async () => {
    assert.deepEqual(await ask({ text: '... !!! ...' }), {
      topics: [{ section: 1, title: 'Small talk', summary: '', facts: [] }],
    });
  });
});
