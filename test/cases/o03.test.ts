import assert from 'node:assert/strict';

import { startEnvironment, stopEnvironment } from '../support/environment.js';
import { ingest, said, withIngest } from '../support/ingesting.js';
import { consolidate, keeping } from '../support/keeping.js';
import { factsOf, verdict } from '../support/reconciling.js';

const [TEA, JAZZ, GREEN] = ['likes black tea', 'likes jazz', 'likes green tea'] as const;

describe('O03: a verdict on a memory that was never shown', function () {
  this.timeout(90_000);
  before(startEnvironment);
  after(stopEnvironment);

  it('is refused and told; the fact stays as its own, and the verdicts on what was shown hold', async () => {
    const chat = keeping({ tea: [TEA], jazz: [JAZZ], green: [GREEN] }, ({ fact, numberOf }) =>
      fact === GREEN ? [verdict(12, 'merge', GREEN), verdict(numberOf(JAZZ), 'merge', 'likes bebop jazz')] : [],
    );
    await withIngest(chat, async (stage) => {
      await ingest(stage, 'u1', [said('tea', { at: '2024-01-01T10:00:00Z' })]);
      await ingest(stage, 'u1', [said('jazz', { at: '2024-01-02T10:00:00Z' })]);
      await consolidate(stage, 'u1');
      const seeded = await factsOf(stage.memory, 'u1');
      assert.deepEqual(
        seeded.map(({ text }) => text),
        [TEA, JAZZ],
      );
      await ingest(stage, 'u1', [said('green', { at: '2024-01-03T10:00:00Z' })]);
      const { reconcile, end } = await consolidate(stage, 'u1');
      assert.deepEqual([end, reconcile?.refused], ['done', ['memory 12']]);
      const facts = await factsOf(stage.memory, 'u1');
      assert.deepEqual(
        facts.map(({ text }) => text),
        [TEA, 'likes bebop jazz', GREEN],
      );
      assert.deepEqual(facts[0], seeded[0], 'the other memory is untouched');
      assert.equal(facts[1]?.id, seeded[1]?.id);
    });
  });
});
