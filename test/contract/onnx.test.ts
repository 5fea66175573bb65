import { OnnxEmbedder } from '../../src/adapters/onnx.js';
import { miniLmDir } from '../support/minilm.js';
import { describeEmbedder } from './embedder.js';

describeEmbedder('OnnxEmbedder', async () => await OnnxEmbedder.open(await miniLmDir()));
