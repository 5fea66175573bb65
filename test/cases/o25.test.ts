import assert from 'node:assert/strict';

import { extracted, factsReply } from '../support/conversations.js';
import { startEnvironment, stopEnvironment } from '../support/environment.js';
import { asked, ingest, said, withIngest } from '../support/ingesting.js';
import { chatReply } from '../support/scripted-openai.js';

const TALK = [
  said('Can you sort dinner?'),
  said('Done: table 12 at the Amber Ladder, 19:30 on 5 May. I suggest the lentil soup.', {
    role: 'assistant',
    at: '2024-01-05T10:01:00Z',
  }),
];
/** The model calls one of them the user's own, as models do. */
const REPLY = chatReply(
  JSON.stringify(
    factsReply([
      { turn: 2, saidBy: 'user', text: 'Table 12 is booked at the Amber Ladder, 19:30 on 5 May', when: '19:30 on 5 May' },
      { turn: 2, saidBy: 'assistant', text: 'The assistant suggests the lentil soup' },
    ]),
  ),
);

describe('O25 · facts that only the assistant said', function () {
  this.timeout(60_000);
  before(startEnvironment);
  after(stopEnvironment);

  it('are kept as said by the assistant, whatever the model calls them, with the time of the event', async () => {
    await withIngest([REPLY], async (stage, server) => {
      await ingest(stage, 'hybrid', TALK);
      const facts = await extracted(stage.memory, 'fact', 'hybrid');
      assert.deepEqual(
        facts.map(({ role }) => role),
        ['assistant', 'assistant'],
      );
      const booked = facts.find(({ text }) => text.startsWith('Table 12'));
      assert.equal(booked?.validFrom, '2024-05-05T00:00:00.000Z');
      const [source] = await stage.memory.nodes.read('hybrid', booked?.edges.derivedFrom ?? []);
      assert.ok(source?.text.includes('table 12'));
      assert.match(asked(server)[0] ?? '', /<turn n="2" by="assistant" role="assistant">Done: table 12/u);
    });
  });

  it('are not drawn where only the user is read', async () => {
    await withIngest([chatReply('{"topics": []}')], async (stage, server) => {
      const status = await ingest(stage, 'user', TALK, { read: 'user_only' });
      assert.equal(status.facts, 0);
      assert.ok(!(asked(server)[0] ?? '').includes('Amber Ladder'), 'the model does not see the turn');
    });
  });

  it('are both drawn where only the assistant is read', async () => {
    const alone = JSON.parse(
      (REPLY as { body: { choices: [{ message: { content: string } }] } }).body.choices[0].message.content,
    ) as ReturnType<typeof factsReply>;
    const numbered = {
      topics: alone.topics.map((topic) => ({ ...topic, facts: topic.facts.map((fact) => ({ ...fact, turn: 1 })) })),
    };
    await withIngest([chatReply(JSON.stringify(numbered))], async (stage, server) => {
      const status = await ingest(stage, 'assistant', TALK, { read: 'assistant_only' });
      assert.deepEqual([status.facts, status.refused], [2, 0]);
      assert.ok(!(asked(server)[0] ?? '').includes('sort dinner'));
    });
  });
});
