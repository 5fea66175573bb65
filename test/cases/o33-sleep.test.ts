import assert from 'node:assert/strict';

import { startEnvironment, stopEnvironment } from '../support/environment.js';
import { ingest, said, withIngest } from '../support/ingesting.js';
import { consolidate, keeping } from '../support/keeping.js';
import { factsOf } from '../support/reconciling.js';

describe('case O33: one fact drawn five times at once, and two updates of it at once', function () {
  this.timeout(120_000);
  before(startEnvironment);
  after(stopEnvironment);

  it('is one fact after sleep, without a question; both updates hold, twenty times over', async () => {
    const chat = keeping({ 'I really like oolong': ['The user really likes oolong.'] }, () => {
      throw new Error('a model was asked about an exact duplicate');
    });
    await withIngest(chat, async (stage) => {
      await Promise.all(
        ['a', 'b', 'c', 'd', 'e'].map((conversation) => ingest(stage, 'u1', [said('I really like oolong')], { conversation })),
      );
      assert.equal((await factsOf(stage.memory, 'u1')).length, 5);
      const { reconcile } = await consolidate(stage, 'u1');
      assert.equal(reconcile?.mergedWithoutModel, 4);
      const [fact, ...others] = await factsOf(stage.memory, 'u1');
      assert.ok(fact !== undefined && others.length === 0);
      assert.equal(fact.source.turns?.length, 5, 'with the sources of all');
      for (let run = 0; run < 20; run++) {
        const updates = [{ a: run }, { b: run }].map((metadata) => stage.client.update('u1', fact.id, { metadata }));
        await Promise.all(updates);
        const node = await stage.client.show('u1', fact.id);
        assert.deepEqual(node.metadata, { a: run, b: run });
      }
    });
  });
});
