import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { withAttention } from '../../src/adapters/onnx-attention.js';
import { miniLmFolder, openMiniLm } from '../../src/adapters/minilm-folder.js';
import type { Head } from '../../src/adapters/onnx-session.js';
import { OnnxSegmenter } from '../../src/adapters/onnx-segmenter.js';
import { OnnxTokenScorer } from '../../src/adapters/onnx-token-scorer.js';
import { OnnxEmbedder } from '../../src/adapters/onnx.js';
import type { SensedTurn } from '../../src/ports/segmenter.js';
import { miniLmDir } from '../support/minilm.js';

describe('withAttention', () => {
  it("finds a layer's attention in each layer of the model, and leaves the file's own bytes as they are", async () => {
    const file = await readFile(join(await miniLmDir(), 'model.onnx'));
    const { file: patched, outputs } = withAttention(file);
    assert.equal(outputs.length, 6);
    assert.ok(Buffer.from(patched.subarray(0, file.length)).equals(file));
  });

  it('refuses what is cut off in the middle, and leaves alone what has no attention', () => {
    assert.throws(() => withAttention(Uint8Array.of(58, 100, 1)), /ends in the middle/);
    const none = Uint8Array.of(8, 8);
    assert.deepEqual(withAttention(none), { file: none, outputs: [] });
  });
});

describe('attention of the model', () => {
  it('is shared out: what the pieces receive and the two ends together make one', async () => {
    const model = await openMiniLm(miniLmFolder(await miniLmDir()));
    const [pieces = []] = await model.pieces(['a', 'red', 'bicycle']).then((words) => [words.flat()]);
    const [attention] = await model.attend([pieces], []);
    assert.equal(attention?.maps.length, 0);
    const shared = attention?.received.reduce((sum, share) => sum + share, 0) ?? 0;
    assert.ok(shared > 0 && shared <= 1 && attention?.received.length === pieces.length);
  });

  it('gives the maps of the heads that are asked for, in that order', async () => {
    const model = await openMiniLm(miniLmFolder(await miniLmDir()));
    const pieces = (await model.pieces(['a', 'red', 'bicycle'])).flat();
    const [late, early] = [
      { layer: 4, head: 5 },
      { layer: 0, head: 8 },
    ];
    const maps = async (...heads: readonly Head[]): Promise<number[]> => [
      ...((await model.attend([pieces], heads))[0]?.maps ?? []),
    ];
    assert.equal((await maps(late)).length, pieces.length ** 2);
    assert.deepEqual(await maps(late, early), [...(await maps(late)), ...(await maps(early))]);
  });

  it('fails for a head that the model lacks, and goes on working', async () => {
    const model = await openMiniLm(miniLmFolder(await miniLmDir()));
    await assert.rejects(model.attend([[2023]], [{ layer: 9, head: 0 }]), /no head 0 in layer 9/);
    assert.equal((await model.attend([[2023]], [])).length, 1);
  });
});

describe('OnnxTokenScorer', () => {
  it('scores every word of every text, also of one longer than a window and of one that is empty', async () => {
    const scorer = await OnnxTokenScorer.open(await miniLmDir());
    const texts = [
      ['green', 'tea'],
      [],
      Array.from({ length: 400 }, (_, at) => `word${at}`),
      ['!!!', '\ud83d'.toWellFormed(), 'x'.repeat(5_000)],
    ];
    const scored = await scorer.scoreWords(texts);
    scored.forEach(({ scores, tokens }, at) => {
      assert.equal(scores.length, texts[at]?.length);
      assert.ok(scores.every((score) => score >= 0 && score <= 1) && tokens.every((count) => count >= 1));
    });
  });

  it('scores words that tell over words that any text has', async () => {
    const [scored] = await (
      await OnnxTokenScorer.open(await miniLmDir())
    ).scoreWords([['and', 'then', 'the', 'nurse', 'moved', 'to', 'Lisbon']]);
    const [and = 0, , the = 0, nurse = 0, , to = 0, lisbon = 0] = scored?.scores ?? [];
    assert.ok(Math.min(nurse, lisbon) > Math.max(and, the, to), JSON.stringify(scored?.scores));
  });
});

describe('OnnxSegmenter', () => {
  const TEA = [
    'I drink green tea each morning.',
    'Which tea do you like most?',
    'Black tea with a little milk.',
    'My tea comes from a shop in Assam.',
  ];
  const BIKES = [
    'My bicycle has a flat tyre again.',
    'Did the tyre hit glass on the road?',
    'Yes, and the chain fell off the bicycle.',
    'A repair shop for bicycles is near.',
  ];

  it('cuts where a talk turns to another matter, the same each time', async () => {
    const texts = [...TEA, ...BIKES];
    const vectors = await (await OnnxEmbedder.open(await miniLmDir())).embed(texts);
    const turns = texts.map((text, at): SensedTurn => ({
      text,
      vector: vectors[at] ?? [],
      speaker: at % 2 === 0 ? 'a' : 'b',
      mayOpen: true,
    }));
    const segmenter = await OnnxSegmenter.open(await miniLmDir());
    const starts = await segmenter.starts(turns);
    assert.deepEqual(starts, [4]);
    assert.deepEqual(await segmenter.starts(turns), starts);
  });

  it('gives a number for each gap between turns of any length, and cuts nothing out of one turn', async () => {
    const segmenter = await OnnxSegmenter.open(await miniLmDir());
    const texts = ['', 'word '.repeat(900), '!!!', 'ab🔥'.repeat(900), 'tea', '\ud83d'];
    const { across, passes } = await segmenter.attention(texts, [1, 2, 3, 4, 5]);
    assert.deepEqual([...across.keys()], [1, 2, 3, 4, 5]);
    assert.ok([...across.values()].every((cut) => Number.isFinite(cut) && cut > 0));
    assert.ok(passes > 1, 'two turns of 126 pieces are a pass');
    assert.deepEqual(await segmenter.starts([{ text: 'tea', vector: [1], speaker: 'a', mayOpen: true }]), []);
  });
});
