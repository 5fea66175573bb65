import assert from 'node:assert/strict';

import { eventTime, isTimeZone } from '../../src/domain/event-time.js';

describe('event times', () => {
  const spellings: readonly [unknown, string, string][] = [
    ['2024-03-10T12:00:00Z', 'UTC', '2024-03-10T12:00:00.000Z'],
    ['2024-03-10 12:00:00.25', 'UTC', '2024-03-10T12:00:00.250Z'],
    ['2024-03-10', 'Asia/Tokyo', '2024-03-09T15:00:00.000Z'],
    ['2024-03-10T12:00:00+0530', 'Asia/Tokyo', '2024-03-10T06:30:00.000Z'],
    ['1710072000', 'Asia/Tokyo', '2024-03-10T12:00:00.000Z'],
    [1710072000.5, 'UTC', '2024-03-10T12:00:00.500Z'],
    [new Date(1710072000000), 'Asia/Tokyo', '2024-03-10T12:00:00.000Z'],
    ['2024/3/1 (Fri) 09:05', 'UTC', '2024-03-01T09:05:00.000Z'],
    ['1:56 pm on 8 May, 2023', 'UTC', '2023-05-08T13:56:00.000Z'],
    ['12:09 am on 13 September, 2023', 'UTC', '2023-09-13T00:09:00.000Z'],
    ['2024-07-01T12:00', 'America/New_York', '2024-07-01T16:00:00.000Z'],
    ['2024-01-01T12:00', 'America/New_York', '2024-01-01T17:00:00.000Z'],
  ];
  for (const [value, zone, utc] of spellings) {
    it(`reads ${String(value)} in ${zone}`, () => assert.equal(eventTime(value, zone), utc));
  }

  it('takes an hour that clocks skip, and one that they show twice, as one instant each', () => {
    assert.equal(eventTime('2024-03-31 02:30', 'Europe/Berlin'), '2024-03-31T01:30:00.000Z');
    assert.match(eventTime('2024-10-27 02:30', 'Europe/Berlin'), /^2024-10-27T0[01]:30:00\.000Z$/u);
  });

  const impossible = [
    '2024-02-30T00:00:00Z',
    '2024-13-01',
    '2024-01-01T24:00Z',
    '13:00 pm on 3 May, 2023',
    'yesterday',
    '',
    Number.NaN,
    null,
    {},
    true,
  ];
  for (const value of impossible) {
    it(`refuses ${JSON.stringify(value)} and quotes it`, () => {
      assert.throws(() => eventTime(value, 'UTC'), { kind: 'bad_timestamp', message: /is no time/u });
    });
  }

  it('knows zones by their names', () => {
    assert.deepEqual(['Europe/Berlin', 'UTC', 'Mars/Olympus'].map(isTimeZone), [true, true, false]);
  });
});
