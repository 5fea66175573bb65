import assert from 'node:assert/strict';

import { deepChanges } from '../../demo/changes.js';
import { Random } from '../../demo/random.js';
import { short, table } from '../../demo/telling.js';

const FILLER = `- [Tests] ${'a long line of work on tests '.repeat(10)}\n`;

describe('what the demo draws from', () => {
  it('takes entries far below the heading of the newest release, as a person would quote them', () => {
    const log = `# Changelog\n\n## [v2.0.0](https://example.com/compare/v1.0.0...v2.0.0) - 2026-01-01\n\n${FILLER}- [New] add \`pour\` without a lid [\`fc17361\`](https://example.com/commit/fc17361)\n\n## v1.0.0\n\n- first release\n`;
    assert.deepEqual(deepChanges(log, '2.0.0'), ['add pour without a lid']);
  });

  it('takes none where the log does not begin with the release that package.json states', () => {
    assert.deepEqual(deepChanges(`## 2.0.0\n\n${FILLER}- add pour without a lid\n`, '3.0.0'), []);
  });

  it('takes none that another release has too, and no list of updates', () => {
    const log = `## 2.0.0\n\n${FILLER}- add pour without a lid\n- update tap and tape and aud\n\n## 1.0.0\n\n- add pour without a lid\n`;
    assert.deepEqual(deepChanges(log, '2.0.0'), []);
  });

  it('draws the same from the same seed, and all of it', () => {
    const items = Array.from({ length: 20 }, (_, at) => at);
    assert.deepEqual(new Random(7).shuffled(items), new Random(7).shuffled(items));
    assert.notDeepEqual(new Random(7).shuffled(items), new Random(8).shuffled(items));
    assert.deepEqual(
      new Random(7).shuffled(items).sort((a, b) => a - b),
      items,
    );
  });
});

describe('what the demo tells', () => {
  it('aligns a table, numbers to the right', () => {
    assert.deepEqual(
      table(
        ['task', 'n'],
        [
          ['a', 10],
          ['bcd', 2],
        ],
      ),
      ['task  n', '────  ──', 'a     10', 'bcd    2'],
    );
  });

  it('cuts a long text at one line, never inside a character', () => {
    assert.equal(short('two\n lines', 20), 'two lines');
    assert.equal(short('👍👍👍👍', 3), '👍👍…');
  });
});
