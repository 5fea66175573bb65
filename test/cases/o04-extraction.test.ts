import assert from 'node:assert/strict';

import { extracted, factsReply } from '../support/conversations.js';
import { startEnvironment, stopEnvironment } from '../support/environment.js';
import { ingest, said, withIngest } from '../support/ingesting.js';
import { chatReply } from '../support/scripted-openai.js';

describe('O04 · numbers named twice, and numbers of nothing, in an extraction', function () {
  this.timeout(60_000);
  before(startEnvironment);
  after(stopEnvironment);

  it('keep every fact, the first mention of a section wins, and the others are told', async () => {
    const reply = {
      topics: [
        ...factsReply([
          { turn: 1, text: 'plays chess weekly' },
          { turn: 7, text: 'owns a canoe' },
        ]).topics,
        { ...factsReply([{ turn: 1, text: 'speaks Welsh' }]).topics[0], title: 'Other', summary: 'Another summary.' },
        { section: -1, title: '', summary: '', facts: [] },
      ],
    };
    const known = { topics: reply.topics.slice(0, 2) };
    await withIngest([chatReply(JSON.stringify(reply)), chatReply(JSON.stringify(known))], async (stage, server) => {
      const status = await ingest(stage, 'u1', [said('I play chess weekly, own a canoe and speak Welsh.')]);
      assert.equal(server.requests.length, 2, 'a number below 0 is no number: the reply is asked for once more');
      assert.deepEqual([status.facts, status.summaries, status.unplaced, status.refused], [3, 1, 1, 2]);
      const facts = await extracted(stage.memory);
      assert.deepEqual(
        facts.map(({ text }) => text),
        ['owns a canoe', 'plays chess weekly', 'speaks Welsh'],
      );
      assert.deepEqual(
        facts.map(({ unplaced }) => unplaced),
        [true, undefined, undefined],
      );
      assert.deepEqual(
        (await extracted(stage.memory, 'summary')).map(({ source }) => source.title),
        ['Pets'],
      );
    });
  });
});
