import assert from 'node:assert/strict';

import { RulesModel } from '../../src/adapters/rules.js';
import { startEnvironment, stopEnvironment, withEngraph } from '../support/environment.js';
import { numbersIn } from '../support/numbers.js';

describe('O34 (d) · a task in a space without episodes', function () {
  this.timeout(60_000);
  before(startEnvironment);
  after(stopEnvironment);

  for (const mode of ['fast', 'hybrid', 'verified'] as const) {
    it(`ends honestly and stores only finite numbers, in mode ${mode}`, async () => {
      await withEngraph({ model: new RulesModel() }, async ({ client, memory }) => {
        const space = `empty ${mode}`;
        const result = await client.runTask({
          space,
          taskId: 't',
          instruction: 'Which tea?',
          retrieval: { mode },
          limits: { maxRefinementRounds: 2 },
        });
        assert.deepEqual([result.outcome, result.reason], ['failed', 'rounds_exhausted']);
        const told = await client.task(space, 't').rounds();
        const { points } = await memory.store.scan(space, { with: { vector: true, terms: true } });
        assert.ok(points.length > 0);
        for (const number of numbersIn([result, told, points])) assert.ok(Number.isFinite(number));
        assert.doesNotMatch(JSON.stringify(points.map(({ vector }) => vector ?? [])), /null/u);
        assert.equal(await memory.nodes.count(space, { kinds: ['episodic'] }), 1);
      });
    });
  }
});
