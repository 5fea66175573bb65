import assert from 'node:assert/strict';

import { OnnxTokenScorer } from '../../src/adapters/onnx-token-scorer.js';
import { ScoredCompressor } from '../../src/adapters/scored-compressor.js';
import { StopWordScorer } from '../../src/adapters/stop-word-scorer.js';
import { miniLmDir } from '../support/minilm.js';

/** Any fixed cut splits a pair of surrogates in one of these. */
const TEXTS = ['', 'x', 'xx', 'xxx'].flatMap((before) => [before + 'ab🔥'.repeat(3000), before + 'ab 🔥 said so '.repeat(60)]);

describe('O14 · emoji in a text to be shortened', function () {
  this.timeout(120_000);

  it('are never cut in two, nor is a lone half passed on', async () => {
    for (const scorer of [await OnnxTokenScorer.open(await miniLmDir()), new StopWordScorer()]) {
      const compressed = await new ScoredCompressor(scorer).compress([...TEXTS, 'half a fire \ud83d and its \udd25 rest'], 0.5);
      for (const { text, achieved } of compressed) assert.ok(text !== '' && text.isWellFormed() && achieved > 0 && achieved <= 1);
    }
  });
});
