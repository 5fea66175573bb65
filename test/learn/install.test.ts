import assert from 'node:assert/strict';

import { javaVersion, requireJava } from '../../bench/twx/install.js';

describe('the Java that the game needs', () => {
  it('is told by its version, old way or new', () => {
    assert.equal(javaVersion('openjdk version "17.0.15" 2025-04-15'), 17);
    assert.equal(javaVersion('java version "1.8.0_372"'), 8);
    assert.equal(javaVersion('openjdk version "21" 2023-09-19'), 21);
  });

  it('fails with the way to get one where there is none', async () => {
    await assert.rejects(requireJava('no-such-java'), {
      kind: 'config',
      message: /Java 8 or newer.*no-such-java.*apt-get install/u,
    });
  });
});
