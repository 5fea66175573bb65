import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { OnnxEmbedder } from '../../src/adapters/onnx.js';
import type { EngraphError } from '../../src/domain/failure.js';
import { miniLmDir } from '../support/minilm.js';

const sentence = 'the river runs past old mills and quiet gardens while children count boats ';

describe('OnnxEmbedder', () => {
  let folder: string;
  beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'engraph-onnx-'))));
  afterEach(async () => await rm(folder, { recursive: true }));

  it('names the folder, the files and the setting when a file is missing', async () => {
    await writeFile(join(folder, 'tokenizer.json'), '{}');
    await assert.rejects(OnnxEmbedder.open(folder), (error: EngraphError) => {
      assert.equal(error.kind, 'config');
      for (const part of [folder, 'model.onnx', 'ENGRAPH_MODEL_DIR']) assert.ok(error.message.includes(part), error.message);
      return true;
    });
  });

  it('says so when a file is no model, and opens the folder once it holds one', async () => {
    await writeFile(join(folder, 'model.onnx'), 'half a download');
    await writeFile(join(folder, 'tokenizer.json'), '{}');
    await assert.rejects(OnnxEmbedder.open(folder), (error: EngraphError) => error.kind === 'config');
    await cp(await miniLmDir(), folder, { recursive: true });
    assert.equal((await (await OnnxEmbedder.open(folder)).embed(['green tea'])).length, 1);
  });

  it('leaves the event loop free while it computes', async () => {
    const embedder = await OnnxEmbedder.open(await miniLmDir());
    let turns = 0;
    const beat = setInterval(() => (turns += 1), 1);
    await embedder.embed(Array.from({ length: 16 }, (_, at) => `${sentence.repeat(8)} ${at}`));
    clearInterval(beat);
    assert.ok(turns > 1, 'timers ran during a single batch');
  });

  it('lets a process exit in the middle of a run with its own exit code', async function () {
    this.timeout(60_000); // a process of its own, on a busy machine
    const program = `
      import { OnnxEmbedder } from ${JSON.stringify(new URL('../../src/adapters/onnx.ts', import.meta.url).href)};
      const embedder = await OnnxEmbedder.open(${JSON.stringify(await miniLmDir())});
      void embedder.embed(Array(64).fill(${JSON.stringify(sentence.repeat(20))})).catch(() => {});
      setTimeout(() => process.exit(3), 100);`;
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], { stdio: 'ignore' });
    assert.deepEqual(await once(child, 'exit'), [3, null]);
  });
});
