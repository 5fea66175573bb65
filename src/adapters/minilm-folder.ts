import { resolve } from 'node:path';

import { OnnxModel, unusable, type ModelFolder } from './onnx-model.js';

/** The one model that vectors, attention and word scores come from. */
export const MODEL = 'all-MiniLM-L6-v2';

/** Numbers of its vectors. */
export const DIMENSION = 384;

/** A folder with `model.onnx` and `tokenizer.json` of all-MiniLM-L6-v2. */
export const miniLmFolder = (modelDir: string, threads = 1): ModelFolder => ({
  modelDir: resolve(modelDir),
  threads,
  purpose: 'embedding',
  model: MODEL,
  wayOut: 'set ENGRAPH_MODEL_DIR to a folder that does, or unset it to have them fetched',
});

/** The model of the folder, loaded once a process. Fails with `config` where the folder lacks a file or holds another model. */
export async function openMiniLm(folder: ModelFolder): Promise<OnnxModel> {
  const model = await OnnxModel.of(folder);
  if (model.dimension !== DIMENSION)
    throw unusable(folder, `its model gives ${model.dimension} numbers a text where ${MODEL} gives ${DIMENSION}`);
  return model;
}
