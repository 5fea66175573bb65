import assert from 'node:assert/strict';

import { parseReconcile, reconcilePrompt } from '../../src/prompts/reconcile.js';
import { UnreadableReply } from '../../src/prompts/reply.js';

const reply = (...verdicts: readonly object[]): string => JSON.stringify({ reason: 'moved', verdicts });

describe('the question what a fact does to older ones', () => {
  it('shows each with its number, who said it and the day, the fact last', () => {
    const { user, maxTokens } = reconcilePrompt({
      fact: { text: 'Ben lives in Oslo.', speaker: 'Ben', at: '2024-06-01T10:00:00.000Z' },
      memories: [{ n: 1, text: 'Ben lives in Bergen.', at: '2023-01-05T10:00:00.000Z' }],
    });
    assert.equal(
      user,
      [
        '<memories>',
        '<memory n="1" at="2023-01-05">Ben lives in Bergen.</memory>',
        '</memories>',
        '<fact by="Ben" at="2024-06-01">Ben lives in Oslo.</fact>',
      ].join('\n'),
    );
    assert.ok(maxTokens >= 600);
  });

  it('wants the reason before the verdicts', () => {
    const { schema } = reconcilePrompt({ fact: { text: 'x' }, memories: [] });
    assert.deepEqual(Object.keys(schema['properties'] as object), ['reason', 'verdicts']);
  });

  it('is answered by numbers as models write them; below 0 and null mean none (O04)', () => {
    const { verdicts } = parseReconcile(
      reply(
        { n: '2', verdict: 'merge', text: 'both' },
        { n: '[3]', verdict: 'supersede' },
        { n: -1, verdict: 'merge', text: null },
        { n: null, verdict: 'relate', text: null },
      ),
    );
    assert.deepEqual(
      verdicts.map(({ n, text }) => [n, text]),
      [
        [2, 'both'],
        [3, null],
        [null, null],
        [null, null],
      ],
    );
  });

  it('is not answered by a verdict that nobody knows, by a number that is none, or by prose', () => {
    for (const bad of [
      reply({ n: 1, verdict: 'delete', text: null }),
      reply({ n: 'the first', verdict: 'merge', text: null }),
      'Nothing changes.',
    ])
      assert.throws(() => parseReconcile(bad), UnreadableReply);
  });
});
