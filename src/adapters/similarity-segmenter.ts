import { cutScores, relativeLeast, RELATIVE_WEIGHTS, topicStarts } from '../domain/segmentation.js';
import type { SensedTurn, Segmenter } from '../ports/segmenter.js';

/**
 * Cuts by vectors and cues of dialogue alone, at a threshold relative to the run: where no model is at hand whose attention could
 * be read, and vectors are of any model.
 */
export class SimilaritySegmenter implements Segmenter {
  readonly name = 'similarity';

  async starts(turns: readonly SensedTurn[]): Promise<number[]> {
    const mayOpen = (at: number): boolean => turns[at]?.mayOpen ?? false;
    const scores = cutScores(turns, RELATIVE_WEIGHTS);
    return await Promise.resolve(topicStarts(scores, mayOpen, relativeLeast(scores, mayOpen)));
  }
}
