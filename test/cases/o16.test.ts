import assert from 'node:assert/strict';

import type { Message } from '../../src/domain/message.js';
import { conversationFakes } from '../support/conversation-fakes.js';
import { startEnvironment, stopEnvironment, withEngraph } from '../support/environment.js';
import { factPerTurn, nodesOf } from '../support/saying.js';

const call = (id: string, time: string) => ({
  id,
  type: 'function',
  function: { name: 'book', arguments: `{"ferry":"${time}"}` },
});

const MESSAGES: readonly Message[] = [
  { role: 'user', content: 'Book the 18:40 ferry' },
  { role: 'assistant', tool_calls: [call('c1', '18:40')] },
  { role: 'tool', tool_call_id: 'c1', content: 'booked, seat 14C' },
  { role: 'assistant', content: null, tool_calls: [call('c2', '19:10')] },
  { role: 'user', content: 'thanks' },
];

describe('case O16: messages with tool calls and no content', function () {
  this.timeout(90_000);
  before(startEnvironment);
  after(stopEnvironment);

  it('are all kept, and the model reads what was said and what the tool said, never a null', async () => {
    const model = factPerTurn();
    const { senseTopics } = conversationFakes({ segmentTurns: 9 }).activities;
    await withEngraph({ model, activities: { senseTopics } }, async (stage) => {
      const told = await stage.client.remember('o16', stage.taskQueue, MESSAGES, { settings: { compression: 'none' } });
      assert.deepEqual([told.stored, told.refused.length], [5, 0]);
      await stage.client.conversation('o16', stage.taskQueue).flush();
      const asked = model
        .asks('facts')
        .map(({ user }) => user)
        .join('\n');
      assert.match(asked, /Book the 18:40 ferry/u);
      assert.match(asked, /<turn[^>]*role="tool"[^>]*>[^<]*booked, seat 14C/u);
      assert.doesNotMatch(asked, /\bnull\b|undefined|\[object Object\]/u);
      const turns = await nodesOf(stage, 'o16');
      assert.deepEqual(
        turns.map(({ role, speaker, text }) => [role, speaker, text]),
        [
          ['user', undefined, 'Book the 18:40 ferry'],
          ['assistant', undefined, '[calls book({"ferry":"18:40"})]'],
          ['tool', 'book', 'booked, seat 14C'],
          ['assistant', undefined, '[calls book({"ferry":"19:10"})]'],
          ['user', undefined, 'thanks'],
        ],
      );
    });
  });
});
