import { MINILM_CUTS, type CutRule } from '../src/domain/segmentation.js';

/** A rule, and what the same fit gives where attention is left out of it. */
export interface RulePair {
  readonly rule: CutRule;
  readonly withoutAttention: CutRule;
}

/** The product's rule. All of these are what `segment --fit` prints. */
const SHIPPED: RulePair = {
  rule: MINILM_CUTS,
  withoutAttention: { weights: { drop: 6.87, depth: 0.38, question: 1.28, length: 0.8, attention: 0 }, least: -1 },
};

/** Fitted without the LoCoMo conversation of that name, for that conversation: none is cut by a rule that has seen its borders. */
const LEFT_OUT: Readonly<Record<string, RulePair>> = {
  'conv-26': {
    rule: { weights: { drop: 6.4, depth: 0.25, question: 1.3, length: 0.75, attention: 1.06 }, least: -1.1 },
    withoutAttention: { weights: { drop: 6.96, depth: 0.33, question: 1.3, length: 0.77, attention: 0 }, least: -1.1 },
  },
  'conv-30': {
    rule: { weights: { drop: 6.36, depth: 0.41, question: 1.27, length: 0.91, attention: 0.92 }, least: -1 },
    withoutAttention: { weights: { drop: 6.83, depth: 0.48, question: 1.27, length: 0.92, attention: 0 }, least: -1 },
  },
  'conv-41': {
    rule: { weights: { drop: 6.27, depth: 0.25, question: 1.29, length: 0.73, attention: 1.06 }, least: -0.9 },
    withoutAttention: { weights: { drop: 6.8, depth: 0.33, question: 1.29, length: 0.73, attention: 0 }, least: -1 },
  },
};

/** The rule to measure a dialogue by: the product's, unless it was fitted on this one. */
export const rulesFor = (dialogue: string): RulePair => LEFT_OUT[dialogue] ?? SHIPPED;
