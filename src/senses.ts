import { LlmLinguaTokenScorer } from './adapters/llmlingua.js';
import { OnnxSegmenter } from './adapters/onnx-segmenter.js';
import { OnnxTokenScorer } from './adapters/onnx-token-scorer.js';
import { ScoredCompressor } from './adapters/scored-compressor.js';
import { SimilaritySegmenter } from './adapters/similarity-segmenter.js';
import { StopWordScorer } from './adapters/stop-word-scorer.js';
import type { Config } from './config.js';
import type { Compressor } from './ports/compressor.js';
import type { Segmenter } from './ports/segmenter.js';
import type { TokenScorer } from './ports/token-scorer.js';
import { ensureMiniLm } from './setup/minilm.js';
import type { OnProgress } from './setup/progress.js';

/** What sensory memory works with. */
export interface Senses {
  readonly segmenter: Segmenter;
  readonly compressor: Compressor;
}

/**
 * The segmenter and the compressor that go with the configuration. Where MiniLM embeds, both read its attention; where an
 * endpoint does, no model is fetched: topics are cut by similarity alone and words scored by whether they are stop words. A
 * folder of LLMLingua-2 scores words in either case. Fails with `config` where a folder can't be used.
 */
export async function openSenses(config: Config, onProgress?: OnProgress): Promise<Senses> {
  const { threads } = config;
  const modelDir = config.embedder.kind === 'minilm' ? await ensureMiniLm(config, onProgress) : undefined;
  const segmenter = modelDir === undefined ? new SimilaritySegmenter() : await OnnxSegmenter.open(modelDir, { threads });
  return { segmenter, compressor: new ScoredCompressor(await openScorer(config, modelDir)) };
}

async function openScorer({ llmLinguaDir, threads }: Config, modelDir: string | undefined): Promise<TokenScorer> {
  if (llmLinguaDir !== undefined) return await LlmLinguaTokenScorer.open(llmLinguaDir, { threads });
  return modelDir === undefined ? new StopWordScorer() : await OnnxTokenScorer.open(modelDir, { threads });
}
