import assert from 'node:assert/strict';

import fc from 'fast-check';

import { factTime, timeWords } from '../../src/domain/fact-time.js';

const MONDAY = '2023-05-08T13:56:00.000Z';

describe('the time of a fact', () => {
  const read: Readonly<Record<string, string>> = {
    yesterday: '2023-05-07',
    'last night': '2023-05-07',
    'the day before yesterday': '2023-05-06',
    'this morning': '2023-05-08',
    tomorrow: '2023-05-09',
    'the day after tomorrow': '2023-05-10',
    'two weeks ago': '2023-04-24',
    'a couple of days ago': '2023-05-06',
    'a month ago': '2023-04-08',
    'in 3 days': '2023-05-11',
    'last Monday': '2023-05-01',
    'last Friday': '2023-05-05',
    'this Friday': '2023-05-12',
    'next Monday': '2023-05-15',
    'last week': '2023-05-01',
    'last weekend': '2023-05-06',
    'next month': '2023-06-01',
    'last year': '2022-01-01',
    'last June': '2022-06-01',
    'last summer': '2022-06-01',
    'last winter': '2022-12-01',
    '19:30 on 5 May': '2023-05-05',
    '31 December': '2022-12-31',
    'May 7, 2023': '2023-05-07',
    '7th of May 2022': '2022-05-07',
    'May 2021': '2021-05-01',
    'since 2016': '2016-01-01',
    '2019': '2019-01-01',
    '2023-05-07': '2023-05-07',
    '2024/03/10': '2024-03-10',
  };
  for (const [words, day] of Object.entries(read)) {
    it(`is ${day} for "${words}", said on Monday 2023-05-08`, () => {
      assert.equal(factTime(words, MONDAY), `${day}T00:00:00.000Z`);
    });
  }

  it('keeps the hour and heeds the zone where both are written', () => {
    assert.equal(factTime('2023-05-07T10:00:00+02:00'), '2023-05-07T08:00:00.000Z');
  });

  for (const words of [
    'on Friday',
    'the week before the trip',
    'two days after 9 June 2023',
    'soon',
    'I may go',
    '2024-02-30',
    '30 February',
    '',
  ]) {
    it(`is not guessed for ${JSON.stringify(words)}`, () => assert.equal(factTime(words, MONDAY), undefined));
  }

  it('of relative words is unknown where nobody knows when they were said', () => {
    assert.equal(factTime('yesterday'), undefined);
    assert.equal(factTime('5 May'), undefined);
    assert.equal(factTime('5 May 2023'), '2023-05-05T00:00:00.000Z');
  });

  it("ends at the month's last day where a month is shorter", () => {
    assert.equal(factTime('a month ago', '2024-03-31T09:00:00.000Z'), '2024-02-29T00:00:00.000Z');
    assert.equal(factTime('a year ago', '2024-02-29T09:00:00.000Z'), '2023-02-28T00:00:00.000Z');
  });

  it('is a time or unknown, whatever the words', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.constantFrom(MONDAY, 'no time', undefined), (words, at) => {
        const time = factTime(words, at);
        return time === undefined || new Date(time).toISOString() === time;
      }),
    );
  });

  it('is found in a sentence: the first words that say when', () => {
    assert.equal(timeWords('I met Ada last weekend, and Bo two years ago.'), 'last weekend');
    assert.equal(timeWords('I like tea.'), undefined);
  });
});
