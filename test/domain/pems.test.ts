import assert from 'node:assert/strict';

import { isSettled, pems, type PemsInput } from '../../src/domain/pems.js';

const near = (a: number, b: number): void => assert.ok(Math.abs(a - b) < 1e-9, `${a} is not ${b}`);
const ONE: PemsInput = { eta: 1, skills: 1, tokens: 100, drift: 0, countSkills: true };

describe('PEMS', () => {
  const table: readonly [string, Partial<PemsInput>, number][] = [
    ['is success over the logarithm of the length', {}, 1 / Math.log(100)],
    ['is divided by the number of skills', { skills: 4 }, 1 / (4 * Math.log(100))],
    ['is not divided by it in the form of the paper', { skills: 4, countSkills: false }, 1 / Math.log(100)],
    ['falls with drift', { drift: 0.25 }, 0.75 / Math.log(100)],
    ['grows with success', { eta: 0.5 }, 0.5 / Math.log(100)],
    ['is 0 where nothing succeeds', { eta: 0 }, 0],
    ['is 0 for a version at a right angle to the one before', { drift: 1 }, 0],
    ['is 0, and not below, for opposed vectors', { drift: 2 }, 0],
    ['counts a text of no tokens as one of e', { tokens: 0 }, 1],
    ['counts a text of one token as one of e', { tokens: 1 }, 1],
    ['counts a text of two tokens as one of e', { tokens: 2 }, 1],
    ['counts a text of three tokens as it is', { tokens: 3 }, 1 / Math.log(3)],
    ['counts no skills as one', { skills: 0 }, 1 / Math.log(100)],
    ['takes a cosine a little above 1 for no drift', { drift: -1e-9 }, 1 / Math.log(100)],
  ];
  for (const [title, input, expected] of table) it(title, () => near(pems({ ...ONE, ...input }), expected));

  it('is finite and between 0 and 1, whatever goes in', () => {
    for (const eta of [0, 0.5, 1])
      for (const skills of [0, 1, 1000])
        for (const tokens of [0, 1, 1e6])
          for (const drift of [-1e-9, 0, 0.5, 2]) {
            const score = pems({ eta, skills, tokens, drift, countSkills: true });
            assert.ok(Number.isFinite(score) && score >= 0 && score <= 1);
          }
  });
});

describe('a score', () => {
  const table: readonly [string, Parameters<typeof isSettled>, boolean][] = [
    ['has settled where it is the same', [0.2, 0.2, 1, 0.01], true],
    ['has settled where it changed by less than the threshold, measured by itself', [0.2, 0.2019, 1, 0.01], true],
    ['has not where it changed by the threshold', [1, 1.01, 1, 0.01], false],
    ['has not where it fell by more', [0.2, 0.19, 1, 0.01], false],
    ['has not where a small score doubled, however small the change is', [0.0001, 0.0002, 1, 0.01], false],
    ['never settles where nothing succeeds', [0.2, 0.2, 0, 0.01], false],
    ['never settles from 0', [0, 0, 1, 0.01], false],
    ['never settles under a threshold of 0', [0.2, 0.2, 1, 0], false],
  ];
  for (const [title, input, expected] of table) it(title, () => assert.equal(isSettled(...input), expected));
});
