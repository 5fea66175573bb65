import { cutScores, topicStarts } from '../domain/segmentation.js';
import type { SensedTurn, Segmenter } from '../ports/segmenter.js';

/** Cuts by vectors and cues of dialogue alone: where no model is at hand whose attention could be read. */
export class SimilaritySegmenter implements Segmenter {
  readonly name = 'similarity';

  async starts(turns: readonly SensedTurn[]): Promise<number[]> {
    return await Promise.resolve(topicStarts(cutScores(turns), (at) => turns[at]?.mayOpen ?? false));
  }
}
