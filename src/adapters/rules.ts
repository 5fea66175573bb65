import { estimateTokens } from '../domain/context.js';
import { EngraphError } from '../domain/failure.js';
import type { LanguageModel, Completion, Prompt } from '../ports/language-model.js';
import type { CallOptions } from '../ports/vector-store.js';
import type { AnswerInput, AttributionInput, JudgementInput, RelevanceInput, ReshapeInput } from '../prompts/inputs.js';
import type { FactsInput } from '../prompts/inputs-facts.js';
import type { ReconcileInput } from '../prompts/inputs-reconcile.js';
import type { SkillInput, SkillRewriteInput } from '../prompts/inputs-skill.js';
import { answer } from './rules-answer.js';
import { attribute } from './rules-attribution.js';
import { factsOf } from './rules-facts.js';
import { judge, rate } from './rules-judgement.js';
import { reconcile } from './rules-reconcile.js';
import { rewrite } from './rules-rewrite.js';
import { induceSkill, rewriteSkill } from './rules-skill.js';

/**
 * A model that is none: answers each of Engraph's questions by fixed rules over the prompt's structured input, so that all
 * works without a key, a download or a network. Extractive answers, rule-based attribution; the same input gives the same
 * reply. Its name says what it is wherever a model's name is shown. Tokens are estimates of the prompt's and the reply's text.
 */
export class RulesModel implements LanguageModel {
  readonly name = 'rules (no LLM)';
  readonly isLanguageModel = false;

  /** Replies to one prompt; fails with `llm_rejected` for a question that there are no rules for. */
  complete(prompt: Prompt, options: CallOptions = {}): Promise<Completion> {
    return new Promise((resolve) => {
      options.signal?.throwIfAborted();
      const text = JSON.stringify(reply(prompt));
      const inputTokens = estimateTokens(prompt.system) + estimateTokens(prompt.user);
      resolve({ text, usage: { calls: 1, inputTokens, outputTokens: estimateTokens(text) } });
    });
  }

  async close(): Promise<void> {}
}

function reply({ name, input }: Prompt): object {
  switch (name) {
    case 'answer':
      return answer(input as AnswerInput);
    case 'attribution':
      return attribute(input as AttributionInput);
    case 'relevance':
      return rate(input as RelevanceInput);
    case 'reshape':
      return rewrite(input as ReshapeInput);
    case 'judgement':
      return judge(input as JudgementInput);
    case 'facts':
      return factsOf(input as FactsInput);
    case 'reconcile':
      return reconcile(input as ReconcileInput);
    case 'skill':
      return induceSkill(input as SkillInput);
    case 'skill_rewrite':
      return rewriteSkill(input as SkillRewriteInput);
    case 'repair_reply':
      throw new EngraphError(
        'llm_rejected',
        'the rules model always replies in the form asked for; it has no rules for repairing a reply',
      );
  }
}
