import assert from 'node:assert/strict';

import { startEnvironment, stopEnvironment } from '../support/environment.js';
import { ingest, said, withIngest } from '../support/ingesting.js';
import { consolidate, keeping } from '../support/keeping.js';
import { factsOf, verdict } from '../support/reconciling.js';

const [PARIS, BERLIN] = ['The user lives in Paris.', 'The user lives in Berlin.'] as const;
const SESSIONS = [
  { conversation: 's2024', text: 'I live in Paris', at: '2024-06-01T10:00:00Z' },
  { conversation: 's2023', text: 'I live in Berlin', at: '2023-01-05T10:00:00Z' },
];

describe('O21: an older session that is loaded after a newer one, consolidated', function () {
  this.timeout(120_000);
  before(startEnvironment);
  after(stopEnvironment);

  it('never changes the newer fact, whatever the model says and whichever came first', async () => {
    const chat = keeping({ 'I live in Paris': [PARIS], 'I live in Berlin': [BERLIN] }, ({ memories }) =>
      memories.map((_, at) => verdict(at + 1, 'supersede')),
    );
    await withIngest(chat, async (stage) => {
      const ends: unknown[] = [];
      for (const [space, sessions, sleepsBetween] of [
        ['newer first', SESSIONS, false],
        ['older first', SESSIONS.toReversed(), false],
        ['newer first, asleep between', SESSIONS, true],
      ] as const) {
        for (const { conversation, text, at } of sessions) {
          await ingest(stage, space, [said(text, { at })], { conversation });
          if (sleepsBetween) await consolidate(stage, space);
        }
        await consolidate(stage, space);
        const facts = await factsOf(stage.memory, space);
        assert.deepEqual(
          facts.map(({ text }) => text),
          [PARIS],
          space,
        );
        const found = await stage.client.search(space, 'where does the user live', { forms: ['fact'] });
        assert.deepEqual(
          found.map(({ node }) => node.text),
          [PARIS],
        );
        const retired = [];
        for await (const line of stage.client.export(space))
          if (line['form'] === 'fact' && line['retiredAt'] !== undefined) retired.push([line['text'], line['validTo']]);
        ends.push([
          facts.map(({ text, validFrom, speaker, edges }) => ({ text, validFrom, speaker, heirs: edges.supersedes?.length })),
          retired.at(-1),
        ]);
        assert.ok(retired.some(([text, validTo]) => text === BERLIN && validTo === '2024-06-01T10:00:00.000Z'));
      }
      assert.deepEqual(ends[1], ends[0]);
    });
  });
});
