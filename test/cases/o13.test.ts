import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { modelLoads, OnnxEmbedder } from '../../src/adapters/onnx.js';
import { dot } from '../../src/domain/vector.js';
import { miniLmDir } from '../support/minilm.js';

const WORDS = 'river mill garden child boat winter lamp paper table road'.split(' ');
const LONG = Array.from({ length: 200 }, (_, at) => WORDS[(at * 7) % WORDS.length]).join(' ');

describe('O13 · the local embedding model', () => {
  it('is loaded once a process, however often it is opened and closed, and keeps no memory call by call', async () => {
    const folder = await miniLmDir();
    await (await OnnxEmbedder.open(folder)).embed(['warm']);
    const loads = modelLoads();
    let early = 0;
    for (let call = 1; call <= 100; call++) {
      const embedder = await OnnxEmbedder.open(folder);
      await embedder.embed([`a short message, number ${call}`]);
      await embedder.close();
      if (call === 5) early = process.memoryUsage.rss();
    }
    assert.equal(modelLoads(), loads);
    assert.ok(process.memoryUsage.rss() - early < 150 * 1024 * 1024);
  });

  it('gives a short text the same vector alone and beside a long one', async () => {
    const embedder = await OnnxEmbedder.open(await miniLmDir());
    const [alone] = (await embedder.embed(['green tea'])) as [number[]];
    const [, beside] = (await embedder.embed([LONG, 'green tea'])) as [number[], number[]];
    assert.ok(dot(alone, beside) >= 0.9999);
  });

  it('comes up in two processes that start together', async function () {
    this.timeout(60_000); // processes of their own, on a busy machine
    const program = `
      import { modelLoads, OnnxEmbedder } from ${JSON.stringify(new URL('../../src/adapters/onnx.ts', import.meta.url).href)};
      const [vector] = await (await OnnxEmbedder.open(${JSON.stringify(await miniLmDir())})).embed(['green tea']);
      process.exitCode = vector.length === 384 && modelLoads() === 1 ? 0 : 1;`;
    const children = [1, 2].map(() =>
      spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
        stdio: ['ignore', 'ignore', 'inherit'],
      }),
    );
    const ends = await Promise.all(children.map(async (child) => await once(child, 'exit')));
    assert.deepEqual(ends, [
      [0, null],
      [0, null],
    ]);
  });
});
