import assert from 'node:assert/strict';

import type { Message } from '../../src/domain/message.js';
import { InMemoryVectorStore } from '../../src/adapters/in-memory.js';
import { memoryOver } from '../../src/compose.js';
import { startEnvironment, stopEnvironment, withEngraph } from '../support/environment.js';
import { ScriptedModel } from '../support/scripted-model.js';
import { WordEmbedder } from '../support/word-embedder.js';

describe('case O17: nothing said', function () {
  this.timeout(90_000);
  before(startEnvironment);
  after(stopEnvironment);

  it('stores nothing, asks no model, embeds nothing, and says so', async () => {
    const embedder = new WordEmbedder();
    const model = new ScriptedModel({});
    const nothing: Message[][] = [
      [],
      [{ role: 'user', content: '  \n\t ' }],
      [{ role: 'system', content: 'You are helpful.' }],
      [{ role: 'user', content: '\u200b' }],
    ];
    await withEngraph({ model, memory: memoryOver(new InMemoryVectorStore(), embedder) }, async ({ client, taskQueue }) => {
      for (const messages of nothing) {
        const told = await client.remember('o17', taskQueue, messages);
        assert.deepEqual([told.stored, told.reason, told.empty, told.refused], [0, 'empty', messages.length, []]);
      }
      assert.deepEqual([await client.search('o17', ''), await client.search('o17', '   ')], [[], []]);
      assert.deepEqual([embedder.texts, model.asked], [[], []]);
      assert.deepEqual(await client.spaces(), []);
      await assert.rejects(client.conversation('o17', taskQueue).status(), { kind: 'not_found' });
    });
  });
});
