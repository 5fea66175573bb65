import assert from 'node:assert/strict';

import { startEnvironment, stopEnvironment } from '../support/environment.js';
import { ingest, said, withIngest } from '../support/ingesting.js';
import { consolidate, keeping } from '../support/keeping.js';
import { factsOf, verdict } from '../support/reconciling.js';

const OLD = ['The user lives in Lisbon.', 'The user works on project Heron.'] as const;
const NEW = ['The user lives in Porto.', 'The user works on project Osprey.'] as const;
const [T1, T2] = ['2026-01-01T10:00:00.000Z', '2026-02-01T10:00:00.000Z'] as const;

describe('O22: two things that change in the same words', function () {
  this.timeout(90_000);
  before(startEnvironment);
  after(stopEnvironment);

  it('both change: the old ones end when the new ones begin, and are found for a day before', async () => {
    const chat = keeping({ 'in Lisbon, on Heron': OLD, 'to Porto, to Osprey': NEW }, ({ fact, numberOf }) => {
      const n = numberOf(OLD[NEW.findIndex((text) => text === fact)] ?? '');
      return n > 0 ? [verdict(n, 'supersede')] : [];
    });
    await withIngest(chat, async ({ client, ...stage }) => {
      await ingest({ client, ...stage }, 'u1', [said('in Lisbon, on Heron', { at: T1 })]);
      await ingest({ client, ...stage }, 'u1', [said('to Porto, to Osprey', { at: T2 })]);
      await consolidate({ client, ...stage }, 'u1');
      assert.deepEqual((await factsOf(stage.memory, 'u1')).map(({ text }) => text).sort(), [...NEW].sort());
      const found = async (options: object): Promise<string[]> =>
        (await client.search('u1', 'where does the user live, on what project', { forms: ['fact'], ...options }))
          .map(({ node }) => node.text)
          .sort();
      assert.deepEqual(await found({}), [...NEW].sort());
      assert.deepEqual(await found({ trueAt: '2026-01-31' }), [...OLD].sort());
      assert.deepEqual(await found({ trueAt: T2 }), [...NEW].sort());
      assert.deepEqual(await found({ trueAt: '2025-12-31' }), []);
      const ended = [];
      for await (const { text, validTo } of client.export('u1')) if (validTo !== undefined) ended.push([text, validTo]);
      assert.deepEqual(
        ended.sort(),
        OLD.map((text) => [text, T2]),
      );
    });
  });
});
