import assert from 'node:assert/strict';

import { entitiesOf } from '../../src/domain/entities.js';

describe('names in a text', () => {
  const CASES: [string, string[]][] = [
    ['Gina lost her job at Door Dash in March.', ['gina', 'door dash']],
    ["Nate's Sony camera fell into Lake Erie", ['nate', 'sony', 'lake erie']],
    ['The user works on project Heron.', ['heron']],
    ['Painting is fun. Recently it rained.', []],
    ['runs express.js v1.2.3 and camelCase', ['v1.2.3', 'camelCase'.toLowerCase()]],
    ['met on Monday, 5 May', []],
    ['takes 10mg on the 3rd day', []],
    ['我喜欢喝茶', []],
    ['', []],
  ];
  for (const [text, expected] of CASES) {
    it(`are ${JSON.stringify(expected)} in ${JSON.stringify(text)}`, () => assert.deepEqual(entitiesOf(text), expected));
  }
});
