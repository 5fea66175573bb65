import assert from 'node:assert/strict';

import { readMessages, type Message } from '../../src/domain/message.js';
import { TURN_MAX_BYTES } from '../../src/domain/turn.js';

const textOf = (message: Message): string | undefined => readMessages([message], 'UTC').turns[0]?.turn.text;

describe('messages as people send them', () => {
  const contents: readonly [string, Message, string | undefined][] = [
    ['text as it is', { role: 'user', content: '  as it is\n' }, '  as it is\n'],
    [
      'parts of text, one a line',
      { role: 'user', content: [{ type: 'text', text: 'a' }, { type: 'input_text', text: 'b' }, 'c'] },
      'a\nb\nc',
    ],
    [
      'a picture by its name',
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }] },
      '[image]',
    ],
    [
      'a picture by its address',
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://a.example/b.png' } }] },
      '[image: https://a.example/b.png]',
    ],
    ['a file by its name', { role: 'user', content: [{ type: 'file', filename: 'plan.pdf' }] }, '[file: plan.pdf]'],
    ['a refusal', { role: 'assistant', content: null, refusal: 'I will not.' }, 'I will not.'],
    [
      'an old function call',
      { role: 'assistant', content: null, function_call: { name: 'book', arguments: '{}' } },
      '[calls book({})]',
    ],
    [
      'a call beside text',
      { role: 'assistant', content: 'One moment.', tool_calls: [{ function: { name: 'look', arguments: null } }] },
      'One moment.\n[calls look()]',
    ],
    [
      'a use of a tool as a part',
      { role: 'assistant', content: [{ type: 'tool_use', name: 'look', input: { at: 1 } }] },
      '[calls look({"at":1})]',
    ],
    [
      'a tool’s result as a part',
      { role: 'user', content: [{ type: 'tool_result', content: [{ type: 'text', text: 'seat 14C' }] }] },
      'seat 14C',
    ],
    ['nothing', { role: 'assistant' }, undefined],
    ['null', { role: 'assistant', content: null, tool_calls: [] }, undefined],
    ['fillers that show nothing', { role: 'user', content: '\u200b\u2060\ufeff\u3164' }, undefined],
  ];
  for (const [what, message, text] of contents) it(`reads ${what}`, () => assert.equal(textOf(message), text));

  it('takes roles by their other names, speakers by name, and keys of their own', () => {
    const { turns } = readMessages(
      [
        { role: 'developer', content: 'Be brief.' },
        { speaker: 'Mel', content: 'hi', id: 7 },
        { role: 'function', name: 'look', content: 'found' },
        { role: 'human', content: 'hello', timestamp: 1710072000, metadata: { page: 3 } },
      ],
      'UTC',
    );
    assert.deepEqual(
      turns.map(({ turn }) => [turn.role, turn.speaker]),
      [
        ['system', undefined],
        ['user', 'Mel'],
        ['tool', 'look'],
        ['user', undefined],
      ],
    );
    assert.equal(turns[1]?.turn.key, '7');
    assert.deepEqual([turns[3]?.turn.at, turns[3]?.turn.metadata], ['2024-03-10T12:00:00.000Z', { page: 3 }]);
  });

  it('redacts secrets in texts and in metadata', () => {
    const secret = `sk-${'a1'.repeat(12)}`;
    const { turns } = readMessages([{ role: 'user', content: `my key is ${secret}`, metadata: { note: [secret] } }], 'UTC');
    assert.doesNotMatch(JSON.stringify(turns), new RegExp(secret, 'u'));
  });

  it('refuses one turn that is too large by its size and the limit, and leaves the others', () => {
    const { turns, refused } = readMessages(
      [
        { role: 'user', content: 'é'.repeat(TURN_MAX_BYTES / 2 + 1) },
        { role: 'user', content: 'ok' },
      ],
      'UTC',
    );
    assert.deepEqual([turns.length, refused[0]?.index, refused[0]?.kind], [1, 0, 'too_large']);
    assert.match(refused[0]?.message ?? '', /262146 bytes .* 262144/u);
  });

  const wrong: readonly [string, unknown, RegExp][] = [
    ['messages that are no list', 'not a list', /messages must be a list/u],
    ['a message that is text', ['hello'], /message 0 must be an object/u],
    ['a role that there is not', [{ role: 'wizard', content: 'x' }], /message 0 has the role "wizard"; role must be/u],
    ['no role and no speaker', [{ content: 'x' }], /message 0 has the role missing/u],
    ['content that is a number', [{ role: 'user', content: 7 }], /message 0 has content that is of type number/u],
    ['metadata that is text', [{ role: 'user', content: 'x', metadata: 'y' }], /message 0: metadata/u],
  ];
  for (const [what, messages, message] of wrong) {
    it(`fails the call for ${what}, naming it`, () =>
      assert.throws(() => readMessages(messages, 'UTC'), { kind: 'validation', message }));
  }
});
