import assert from 'node:assert/strict';

import { ScoredCompressor } from '../../src/adapters/scored-compressor.js';
import { StopWordScorer } from '../../src/adapters/stop-word-scorer.js';
import type { EngraphError } from '../../src/domain/failure.js';
import type { TokenScorer } from '../../src/ports/token-scorer.js';

/** Later words matter more; each is one token. */
const later: TokenScorer = {
  name: 'later',
  scoreWords: (texts) =>
    Promise.resolve(texts.map((words) => ({ scores: words.map((_, at) => at), tokens: words.map(() => 1) }))),
};
const compressor = new ScoredCompressor(later);

describe('ScoredCompressor', () => {
  it('keeps the share of words that was asked for, in their order, and says how much that was', async () => {
    assert.deepEqual(await compressor.compress(['we went to the sea with our old dog'], 0.5), [
      { text: 'sea with our old dog', achieved: 5 / 9 },
    ]);
  });

  it('says so when what must stay takes more than was asked for', async () => {
    const [kept] = await compressor.compress(['not 5 mg ever'], 0.4);
    assert.equal(kept?.text, 'not 5 mg');
    assert.equal(kept?.achieved, 0.75);
  });

  it('gives back what would come to nothing, unchanged', async () => {
    for (const text of ['', ' \n', '... !!! ...', 'ok'])
      assert.deepEqual(await compressor.compress([text], 0.4), [{ text, achieved: 1 }]);
  });

  it('leaves texts as they are at a share of 1, and refuses one that is none', async () => {
    assert.deepEqual(await compressor.compress(['as it  was'], 1), [{ text: 'as it  was', achieved: 1 }]);
    for (const share of [0, -1, 1.1, Number.NaN]) {
      await assert.rejects(compressor.compress(['a'], share), (error: EngraphError) => error.kind === 'validation');
    }
  });

  it('keeps the space between neighbours, and one space or line end where something is left out', async () => {
    const [kept] = await compressor.compress(['so\nthey\n\nmet him  by chance'], 0.5);
    assert.equal(kept?.text, 'him  by chance');
    const [lines] = await new ScoredCompressor(new StopWordScorer()).compress(['rivers are\n\nso wide'], 0.5);
    assert.equal(lines?.text, 'rivers\nwide');
  });
});

describe('StopWordScorer', () => {
  it('scores stop words below all others, whatever their case and punctuation', async () => {
    const [scored] = await new StopWordScorer().scoreWords([['The', 'river', 'was,', 'so', 'wide.']]);
    const [the = 1, river = 0, was = 1, so = 1, wide = 0] = scored?.scores ?? [];
    assert.ok(Math.min(river, wide) > Math.max(the, was, so));
  });
});
