import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { LlmLinguaTokenScorer } from '../../src/adapters/llmlingua.js';
import { ScoredCompressor } from '../../src/adapters/scored-compressor.js';
import type { EngraphError } from '../../src/domain/failure.js';
import { miniLmDir } from '../support/minilm.js';
import { writeTinyClassifier } from '../support/tiny-classifier.js';

describe('LlmLinguaTokenScorer', () => {
  let folder: string;
  beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'engraph-llmlingua-'))));
  afterEach(async () => await rm(folder, { recursive: true }));

  it('names the folder, what is missing and the setting', async () => {
    await assert.rejects(LlmLinguaTokenScorer.open(folder), (error: EngraphError) => {
      assert.equal(error.kind, 'config');
      for (const part of [folder, 'model.onnx', 'ENGRAPH_LLMLINGUA_DIR']) assert.ok(error.message.includes(part), error.message);
      return true;
    });
  });

  it('refuses a model that is no classifier of two labels', async () => {
    await assert.rejects(LlmLinguaTokenScorer.open(await miniLmDir()), (error: EngraphError) => {
      assert.equal(error.kind, 'config');
      assert.match(error.message, /384 numbers a token/);
      return true;
    });
  });

  it("scores words by the mean keep-probability of the classifier's pieces, in windows for a long text", async () => {
    await writeTinyClassifier(folder, await miniLmDir(), 3_000);
    const scorer = await LlmLinguaTokenScorer.open(folder);
    const [scored] = await scorer.scoreWords([['the', 'zeppelin', 'of', 'the', 'orchard']]);
    const [the = 0, zeppelin = 0, of = 0, , orchard = 0] = scored?.scores ?? [];
    assert.ok(zeppelin > the && orchard > of, JSON.stringify(scored));
    const long = await scorer.scoreWords([Array.from({ length: 1_500 }, () => 'the')]);
    assert.equal(long[0]?.scores.length, 1_500);
    const [short] = await new ScoredCompressor(scorer).compress(['the zeppelin of the orchard'], 0.4);
    assert.equal(short?.text, 'zeppelin orchard');
  });
});
