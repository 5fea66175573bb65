import assert from 'node:assert/strict';

import { readMessages } from '../src/domain/message.js';
import { conversationsIn } from '../src/message-files.js';

const lines = (...values: readonly unknown[]): string => values.map((value) => JSON.stringify(value)).join('\n');

describe('files of messages', () => {
  it('are JSON Lines, of one conversation or of those that they name', () => {
    const [one] = conversationsIn(
      `\ufeff${lines({ role: 'user', content: 'a' }, { role: 'assistant', content: 'b' })}\n\n`,
      'talk',
    );
    assert.deepEqual([one?.conversation, one?.messages.length], ['talk', 2]);
    const two = conversationsIn(
      lines({ role: 'user', content: 'a', conversation: 'x' }, { role: 'user', content: 'b', conversation: 'y' }),
      'talk',
    );
    assert.deepEqual(
      two.map(({ conversation }) => conversation),
      ['x', 'y'],
    );
  });

  it('are lists of messages, and objects with messages, one or many', () => {
    const messages = [{ role: 'user', content: 'a' }];
    assert.deepEqual(conversationsIn(JSON.stringify(messages), 'f'), [{ conversation: 'f', messages }]);
    assert.deepEqual(conversationsIn(JSON.stringify({ messages }), 'f'), [{ conversation: 'f', messages }]);
    assert.deepEqual(
      conversationsIn(lines({ messages }, { id: 'own', messages }), 'f').map(({ conversation }) => conversation),
      ['f-1', 'own'],
    );
  });

  it('are LoCoMo: sessions in order with their times, speakers, keys and captions', () => {
    const item = {
      sample_id: 'conv-1',
      conversation: {
        ...{
          speaker_a: 'Ann',
          speaker_b: 'Bo',
          session_10_date_time: '1:00 pm on 9 May, 2023',
          session_10: [{ speaker: 'Bo', dia_id: 'D10:1', text: 'late' }],
        },
        ...{
          session_2_date_time: '1:56 pm on 8 May, 2023',
          session_2: [{ speaker: 'Ann', dia_id: 'D2:1', text: 'hi', blip_caption: 'a dog' }],
        },
      },
    };
    const [found] = conversationsIn(JSON.stringify([item]), 'f');
    const { turns } = readMessages(found?.messages, 'UTC');
    assert.equal(found?.conversation, 'conv-1');
    assert.deepEqual(
      turns.map(({ turn: { key, speaker, at, text } }) => [key, speaker, at, text]),
      [
        ['D2:1', 'Ann', '2023-05-08T13:56:00.000Z', 'hi\n[image: a dog]'],
        ['D10:1', 'Bo', '2023-05-09T13:00:00.000Z', 'late'],
      ],
    );
  });

  it('are exports of ChatGPT: the branch that was shown last, from the root on', () => {
    const node = (id: string, parent: string | null, role: string, text: string | null) => [
      id,
      {
        id,
        parent,
        message:
          text === null
            ? null
            : { id, author: { role }, create_time: 1710072000, content: { content_type: 'text', parts: [text] } },
      },
    ];
    const mapping = Object.fromEntries([
      node('r', null, '', null),
      node('a', 'r', 'user', 'q'),
      node('b', 'a', 'assistant', 'first'),
      node('c', 'a', 'assistant', 'second'),
    ] as [string, unknown][]);
    const [found] = conversationsIn(JSON.stringify([{ title: 'T', conversation_id: 'cid', current_node: 'c', mapping }]), 'f');
    assert.equal(found?.conversation, 'cid');
    assert.deepEqual(
      readMessages(found?.messages, 'UTC').turns.map(({ turn }) => [turn.role, turn.key, turn.text]),
      [
        ['user', 'a', 'q'],
        ['assistant', 'c', 'second'],
      ],
    );
  });

  it('keep what is said twice word for word twice, under keys that the same file gives again', () => {
    const text = lines({ role: 'user', content: 'ok' }, { role: 'user', content: 'go on' }, { role: 'user', content: 'ok' });
    const keys = (): (string | undefined)[] =>
      readMessages(conversationsIn(text, 'f')[0]?.messages, 'UTC').turns.map(({ turn }) => turn.key);
    assert.equal(new Set(keys()).size, 3);
    assert.deepEqual(keys(), keys());
  });

  it('are refused by the line that is no JSON, or when there is nothing in them', () => {
    assert.throws(() => conversationsIn('{"role":"user","content":"a"}\nnot json', 'f'), {
      kind: 'validation',
      message: /line 2/u,
    });
    assert.throws(() => conversationsIn(' \n', 'f'), { kind: 'validation', message: /empty/u });
    assert.throws(() => conversationsIn('[1]', 'f'), { kind: 'validation', message: /entry 1/u });
  });
});
