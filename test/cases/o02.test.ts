import assert from 'node:assert/strict';

import { Parked } from '../../src/store/parked.js';
import { extracted, factsReply } from '../support/conversations.js';
import { startEnvironment, stopEnvironment } from '../support/environment.js';
import { ingest, said, withIngest } from '../support/ingesting.js';
import { chatReply } from '../support/scripted-openai.js';

const VALID = JSON.stringify(factsReply([{ text: 'Tobin collects {rare} stamps' }]));
const NOTHING = chatReply('Sorry, nothing to add.');

describe('O02 · prose with braces of its own around the facts, and a reply without any JSON', function () {
  this.timeout(60_000);
  before(startEnvironment);
  after(stopEnvironment);

  it('stores the fact with its braces; the reply without JSON is asked for once more, then parked with its raw text, its turn pending', async () => {
    const chatty = chatReply(`From the talk {about hobbies} I conclude: ${VALID} — hope that {helps}!`);
    await withIngest([chatty, NOTHING, NOTHING], async (stage, server) => {
      const first = await ingest(stage, 'u1', [said('I collect {rare} stamps.', { speaker: 'Tobin' })]);
      assert.deepEqual([first.facts, first.parked, server.requests.length], [1, 0, 1]);

      const second = await ingest(stage, 'u1', [said('I also paint.')], { conversation: 's2' });
      assert.deepEqual([second.facts, second.parked, server.requests.length], [0, 1, 3]);
      assert.deepEqual(
        second.parkedBatches.map(({ kind, turns }) => [kind, turns]),
        [['llm_unparseable', 1]],
      );
      assert.equal(second.spent.calls, 2);

      const parked = [];
      for await (const batch of new Parked(stage.memory.store).list('u1', 's2')) parked.push(batch);
      assert.deepEqual(
        parked.map(({ kind, topics }) => [kind, topics.flatMap(({ turns }) => turns).length]),
        [['llm_unparseable', 1]],
      );
      const replies = await Promise.all((parked[0]?.drafts ?? []).map((draft) => stage.memory.drafts.find('u1', draft)));
      assert.deepEqual(
        replies.map((draft) => draft?.reply),
        ['Sorry, nothing to add.', 'Sorry, nothing to add.'],
      );

      assert.deepEqual(
        (await extracted(stage.memory)).map(({ text }) => text),
        ['Tobin collects {rare} stamps'],
      );
      assert.equal((await stage.client.search('u1', 'paint'))[0]?.node.text, 'I also paint.', 'the turn itself is recallable');
    });
  });
});
