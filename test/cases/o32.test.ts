import assert from 'node:assert/strict';

import type { FactsInput } from '../../src/prompts/inputs-facts.js';
import { conversationFakes } from '../support/conversation-fakes.js';
import { startEnvironment, stopEnvironment, withEngraph } from '../support/environment.js';
import { codeWords, factPerTurn, nodesOf } from '../support/saying.js';

describe('case O32: small buffers, eleven messages one by one', function () {
  this.timeout(120_000);
  before(startEnvironment);
  after(stopEnvironment);

  it('go each into one extraction and one fact, in order, and nothing waits when the conversation is closed', async () => {
    const model = factPerTurn();
    const { senseTopics } = conversationFakes().activities;
    await withEngraph({ model, activities: { senseTopics } }, async (stage) => {
      const handle = stage.client.conversation('o32', stage.taskQueue, {
        sensoryTokens: 32,
        shortTermTokens: 16,
        compression: 'none',
      });
      for (const message of codeWords(11)) assert.equal((await handle.remember([message])).stored, 1);
      const status = await handle.close();
      assert.deepEqual([status.sensory.turns, status.shortTerm.turns, status.storing, status.parked], [0, 0, 0, 0]);
      const said = codeWords(11).map(({ content }) => content as string);
      const read = model
        .asks('facts')
        .flatMap(({ input }) => (input as FactsInput).sections.flatMap(({ turns }) => turns.map(({ text }) => text)));
      assert.deepEqual(read, said);
      assert.deepEqual(
        (await nodesOf(stage, 'o32')).map(({ text }) => text),
        said,
      );
      assert.deepEqual(
        (await nodesOf(stage, 'o32', 'fact')).map(({ text }) => text).sort(),
        said.map((text) => `It was said: ${text}`),
      );
    });
  });
});
