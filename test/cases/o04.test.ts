import assert from 'node:assert/strict';

import { startEnvironment, stopEnvironment } from '../support/environment.js';
import { ingest, said, withIngest } from '../support/ingesting.js';
import { consolidate, keeping } from '../support/keeping.js';
import { factsOf, verdict } from '../support/reconciling.js';

const STORED = ['plays the violin', 'plays chess'] as const;
const NEW = ['plays chess in a club in Oslo', 'plays golf', 'plays tennis'] as const;

describe('O04: a reply that names one memory twice, and memories of nothing', function () {
  this.timeout(90_000);
  before(startEnvironment);
  after(stopEnvironment);

  it('merges by its first word, refuses the repeat and the unknown number, and keeps the rest as new', async () => {
    const chat = keeping({ stored: STORED, new: NEW }, ({ fact, numberOf }) => {
      if (fact === NEW[0]) return [verdict(numberOf(STORED[1]), 'merge'), verdict(numberOf(STORED[0]), 'merge')];
      if (fact === NEW[1]) return [verdict(7, 'merge')];
      return fact === NEW[2] ? [verdict(-1, 'merge')] : [];
    });
    await withIngest(chat, async (stage, server) => {
      await ingest(stage, 'u1', [said('stored', { at: '2024-01-01T10:00:00Z' })]);
      await consolidate(stage, 'u1');
      const stored = await factsOf(stage.memory, 'u1');
      await ingest(stage, 'u1', [said('new', { at: '2024-01-02T10:00:00Z' })]);
      const asked = server.requests.length;
      const { reconcile } = await consolidate(stage, 'u1');
      assert.equal(server.requests.length, asked + 3, 'one question a fact, and none repeated');
      assert.equal(reconcile?.refused.length, 2, reconcile?.refused.join());
      const facts = await factsOf(stage.memory, 'u1');
      assert.deepEqual(facts.map(({ text }) => text).sort(), [NEW[0], NEW[1], NEW[2], STORED[0]].sort());
      const [violin, chess] = STORED.map((text) => stored.find((fact) => fact.text === text));
      assert.equal(facts.find(({ text }) => text === NEW[0])?.id, chess?.id, 'it merged into the second');
      assert.deepEqual(
        facts.find(({ id }) => id === violin?.id),
        violin,
        'the first is untouched',
      );
    });
  });
});
