import assert from 'node:assert/strict';

import { isDuplicate, wordingOfBoth } from '../../src/domain/duplicate.js';

const [JANUARY, JUNE] = ['2024-01-01T00:00:00.000Z', '2024-06-01T00:00:00.000Z'];
const both = (a: string, b: string, cosine: number, speakers: [string, string] = ['ann', 'ann']): boolean[] => [
  isDuplicate({ text: a, speaker: speakers[0], validFrom: JANUARY }, { text: b, speaker: speakers[1], validFrom: JUNE }, cosine),
  isDuplicate({ text: b, speaker: speakers[1], validFrom: JANUARY }, { text: a, speaker: speakers[0], validFrom: JUNE }, cosine),
];

describe('duplicates told without a model', () => {
  const SAME: [string, string, number][] = [
    ['I really like oolong', 'I really like oolong', 1],
    ['I really like oolong', 'I really like oolong!', 0.99],
    ['我喜欢喝茶', '我喜欢喝茶。', 0.99],
    ['Mira keeps two ferrets', 'Mira has two ferrets', 0.93],
    ['Maria volunteers at a shelter.', 'Maria has been volunteering at a shelter, finding it rewarding.', 0.88],
    ['Joe thanks Ann for her kind words and support.', 'Joe is thankful for the support and kindness of Ann.', 0.9],
  ];
  for (const [a, b, cosine] of SAME) {
    it(`takes ${JSON.stringify(a)} and ${JSON.stringify(b)} for one`, () => assert.deepEqual(both(a, b, cosine), [true, true]));
  }

  const DISTINCT: [string, string][] = [
    ['likes black tea', 'likes green tea'],
    ['I live in Paris', 'I live in Berlin'],
    ['loves Thai food', 'hates Thai food'],
    ['takes 10 mg of the blue pill', 'takes 20 mg of the blue pill'],
    ['Nate has two turtles.', 'Nate has three turtles.'],
    ['Nate takes part in his 3rd cup.', 'Nate takes part in his fourth cup.'],
    ['The meeting is on Monday.', 'The meeting is on Friday.'],
    ['Ben has a dog named Rex.', 'Ben has a dog named Max.'],
    ['Ann plans a trip to Japan.', 'Ann visited Japan.'],
    ['Ann will move to Berlin', 'Ann moved to Berlin'],
    ['Ann is starting a dance studio of her own.', 'Ann is a dancer who runs a dance studio of her own.'],
    ['Ann is allergic to nuts.', 'Ann is not allergic to nuts.'],
    ['Ann likes cats', 'Ann used to like cats'],
    ['Ann smokes', 'Ann stopped smoking'],
    ['Bob is Ann’s brother', 'Ann is Bob’s brother'],
    ['Ann likes to explore nature with dogs.', "Ann's dogs like to explore nature."],
    ['I went to the dentist yesterday', 'I went to the dentist yesterday'],
    ['我喜欢喝茶', '我不喜欢喝茶'],
  ];
  for (const [a, b] of DISTINCT) {
    it(`keeps ${JSON.stringify(a)} and ${JSON.stringify(b)} apart, however near`, () =>
      assert.deepEqual(both(a, b, 0.95), [false, false]));
  }

  it('never takes what two people say of themselves for one', () =>
    assert.deepEqual(both('I like tea', 'I like tea', 1, ['ann', 'bob']), [false, false]));

  it('needs nearness where the words differ', () => {
    const [a, b] = ['Joe thanks Ann for her kind words and support.', 'Joe is thankful for the support and kindness of Ann.'];
    assert.deepEqual(both(a, b, 0.7), [false, false]);
  });

  it('takes the same appointment told twice within days for one', () => {
    const told = (validFrom: string) => ({ text: 'I went to the dentist yesterday', validFrom });
    assert.ok(isDuplicate(told('2024-01-01T10:00:00.000Z'), told('2024-01-01T11:00:00.000Z'), 1));
  });

  it('says on in the earlier words, unless the later have all of them and more', () => {
    assert.equal(wordingOfBoth('Mira keeps ferrets', 'Mira keeps two ferrets at home'), 'Mira keeps two ferrets at home');
    assert.equal(wordingOfBoth('Mira keeps two ferrets', 'Mira keeps ferrets'), 'Mira keeps two ferrets');
    assert.equal(wordingOfBoth('Joe values support', 'Joe is thankful for kindness and help'), 'Joe values support');
  });
});
