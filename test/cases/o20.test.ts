import assert from 'node:assert/strict';

import { startEnvironment, stopEnvironment, withEngraph } from '../support/environment.js';
import { nodesOf, says } from '../support/saying.js';

const SPELLINGS = [
  '2024-03-10T12:00:00Z',
  '2024-03-10T13:00:00+01:00',
  '2024-03-10T07:00:00-05:00',
  1710072000,
  1710072000000,
  '2024/03/10 (Sun) 12:00',
];
const NOON = '2024-03-10T12:00:00.000Z';

describe('case O20: six spellings of one instant, and an impossible one', function () {
  this.timeout(90_000);
  const zone = process.env['TZ'];
  before(async () => {
    process.env['TZ'] = 'America/Los_Angeles';
    await startEnvironment();
  });
  after(async () => {
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
    await stopEnvironment();
  });

  it('are one instant whatever zone the machine is in; the impossible one is refused alone', async () => {
    await withEngraph({}, async (stage) => {
      const messages = [...SPELLINGS, '2024-02-30T00:00:00Z'].map((at, number) => says(`spelling ${number}`, { at }));
      const told = await stage.client.remember('o20', stage.taskQueue, messages);
      assert.equal(told.stored, 6);
      assert.deepEqual(
        told.refused.map(({ index, kind }) => [index, kind]),
        [[6, 'bad_timestamp']],
      );
      assert.match(told.refused[0]?.message ?? '', /"2024-02-30T00:00:00Z"/u);
      assert.deepEqual(
        (await nodesOf(stage, 'o20')).map(({ validFrom }) => validFrom),
        SPELLINGS.map(() => NOON),
      );
      await stage.client.remember('o20 Berlin', stage.taskQueue, messages.slice(0, 6), { timeZone: 'Europe/Berlin' });
      const inBerlin = (await nodesOf(stage, 'o20 Berlin')).map(({ validFrom }) => validFrom);
      assert.deepEqual(inBerlin, [...SPELLINGS.slice(0, 5).map(() => NOON), '2024-03-10T11:00:00.000Z']);
    });
  });
});
