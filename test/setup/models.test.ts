import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { loadConfig } from '../../src/config.js';
import type { EngraphError } from '../../src/domain/failure.js';
import { ensureLocalLlm } from '../../src/setup/local-llm.js';
import { ensureMiniLm } from '../../src/setup/minilm.js';

/** Whether the failure is of kind `config` and names all of these. */
function names(...words: string[]): (error: EngraphError) => true {
  return (error) => {
    assert.equal(error.kind, 'config');
    for (const word of words) assert.ok(error.message.includes(word), `"${error.message}" names ${word}`);
    return true;
  };
}

describe('where models come from', () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'engraph-models-'))));
  afterEach(async () => await rm(folder, { recursive: true }));

  it('takes the folder that ENGRAPH_MODEL_DIR names as it is', async () => {
    for (const file of ['model.onnx', 'tokenizer.json']) await writeFile(join(folder, file), '');
    assert.equal(await ensureMiniLm(loadConfig({ ENGRAPH_MODEL_DIR: folder })), folder);
  });

  it('refuses that folder when a file is missing, and says which files to take from where', async () => {
    await writeFile(join(folder, 'model.onnx'), '');
    const asked = ensureMiniLm(loadConfig({ ENGRAPH_MODEL_DIR: folder }));
    await assert.rejects(asked, names(folder, 'no tokenizer.json', 'Xenova/all-MiniLM-L6-v2', 'onnx/model_quantized.onnx'));
  });

  it('names the way round when the model cannot be fetched, and leaves the cache empty', async () => {
    const asked = ensureMiniLm(loadConfig({ ENGRAPH_CACHE: folder, ENGRAPH_PYTHON: '/nowhere/python' }));
    await assert.rejects(asked, names('/nowhere/python', 'ENGRAPH_PYTHON', 'ENGRAPH_MODEL_DIR'));
  });

  it('never fetches the local LLM unasked: it names the command that does', async () => {
    const asked = ensureLocalLlm(loadConfig({ ENGRAPH_LLM: 'local', ENGRAPH_CACHE: folder, ENGRAPH_HOME: folder }));
    await assert.rejects(asked, names('npm run models:llm', '1.1 GB', 'ENGRAPH_LLM'));
  });
});
