import assert from 'node:assert/strict';

import { startEnvironment, stopEnvironment } from '../support/environment.js';
import { ingest, said, withIngest } from '../support/ingesting.js';
import { consolidate, keeping } from '../support/keeping.js';
import { factsOf, verdict } from '../support/reconciling.js';

const [LOVES, HATES] = ['loves Thai food', 'hates Thai food'] as const;

describe('O23: a model that only says that the old fact is to go', function () {
  this.timeout(90_000);
  before(startEnvironment);
  after(stopEnvironment);

  for (const word of ['contradict', 'supersede'] as const) {
    const space = `o23 ${word}`;
    it(`leaves exactly the new one, which the old one is linked with (${word})`, async () => {
      const chat = keeping({ love: [LOVES], hate: [HATES] }, ({ memories }) => memories.map((_, at) => verdict(at + 1, word)));
      await withIngest(chat, async (stage) => {
        await ingest(stage, space, [said('love', { at: '2024-01-01T10:00:00Z' })]);
        await consolidate(stage, space);
        const [old] = await factsOf(stage.memory, space);
        await ingest(stage, space, [said('hate', { at: '2024-02-01T10:00:00Z' })]);
        const { reconcile } = await consolidate(stage, space);
        assert.equal(reconcile?.verdicts[word], 1);
        const facts = await factsOf(stage.memory, space);
        assert.deepEqual(
          facts.map(({ text, edges }) => [text, edges.supersedes]),
          [[HATES, [old?.id]]],
        );
      });
    });
  }
});
