import assert from 'node:assert/strict';

import { feedbackOn, holds, mentions, type Fact } from '../../demo/facts.js';

const fact = (kind: Fact['kind'], value: string, others: readonly string[] = []): Fact => ({
  ...{ kind, value, others },
  ...{ missing: 'missing', wrong: 'wrong', elsewhere: 'elsewhere' },
});

const VERSION = fact('version', '1.2.3', ['9.9.9']);
const LICENCE = fact('licence', 'BSD-3-Clause', ['MIT', 'ISC', 'Apache-2.0', 'BSD-3-Clause']);
const PERSON = fact('person', 'André Cruz', ['Grace Hopper']);
const BYTES = fact('bytes', '2312');

describe("the demo's judge", () => {
  const accepted: [Fact, string][] = [
    [VERSION, '1.2.3'],
    [VERSION, 'The newest version is v1.2.3.'],
    [LICENCE, 'BSD-3-Clause'],
    [LICENCE, 'It is under the BSD 3 Clause license'],
    [fact('licence', 'Apache-2.0', ['MIT']), 'Apache License, Version 2.0'],
    [PERSON, 'Andre Cruz wrote it'],
    [BYTES, '2,312 bytes'],
  ];
  for (const [known, answer] of accepted) {
    it(`accepts "${answer}" for ${known.value}`, () => {
      assert.equal(holds(known, answer), true);
      assert.equal(mentions(known, `before ${known.value} after`), true);
    });
  }

  const refused: [Fact, string, string][] = [
    [VERSION, '1.2.4', 'wrong'],
    [VERSION, '1.2.3 or 1.2.4', 'wrong'],
    [VERSION, '1.2.30', 'wrong'],
    [VERSION, '9.9.9', 'elsewhere'],
    [VERSION, "I don't know", 'missing'],
    [LICENCE, 'MIT', 'elsewhere'],
    [LICENCE, 'MIT or BSD-3-Clause', 'elsewhere'],
    [LICENCE, "I don't know", 'missing'],
    [PERSON, 'Grace Hopper', 'elsewhere'],
    [PERSON, 'Ada Lovelace', 'wrong'],
    [PERSON, 'nobody', 'missing'],
    [BYTES, '12', 'wrong'],
    [BYTES, 'many', 'missing'],
    [BYTES, '', 'missing'],
  ];
  for (const [known, answer, said] of refused) {
    it(`refuses "${answer}" for ${known.value} and says what kind of thing is wrong`, () => {
      assert.equal(holds(known, answer), false);
      assert.equal(feedbackOn(known, answer), said);
    });
  }
});
