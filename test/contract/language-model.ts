import assert from 'node:assert/strict';

import type { LanguageModel, Prompt } from '../../src/ports/language-model.js';
import { answerPrompt, parseAnswer } from '../../src/prompts/answer.js';
import { attributionPrompt, parseAttribution } from '../../src/prompts/attribution.js';
import { judgementPrompt, parseJudgement } from '../../src/prompts/judgement.js';
import { parseRelevance, relevancePrompt } from '../../src/prompts/relevance.js';
import { parseReshape, reshapePrompt } from '../../src/prompts/reshape.js';

const TEXT = 'The harbour bridge was opened in 1932. It carries two tracks.';
const MEMORY = { n: 1, id: 'a', kind: 'semantic', title: 'bridge.md', text: TEXT } as const;
const TASK = { instruction: 'In which year was the harbour bridge opened?', observation: '' };

/** One prompt of each kind with what reads its reply. */
export const EVERY_PROMPT: readonly (readonly [Prompt, (text: string) => unknown])[] = [
  [answerPrompt({ ...TASK, history: [], memories: [MEMORY] }), parseAnswer],
  [
    attributionPrompt({
      ...TASK,
      action: '1931',
      feedback: 'this is not the year of the bridge',
      round: 0,
      links: [{ ...MEMORY, similarity: 0.6, reshaped: false, cited: false }],
      allowed: ['expand', 'prune', 'reshape', 'bypass'],
      tried: [],
    }),
    parseAttribution,
  ],
  [relevancePrompt({ query: TASK.instruction, candidates: [MEMORY] }), parseRelevance],
  [
    reshapePrompt({ ...TASK, feedback: 'too long', direction: 'finer', title: 'bridge.md', text: TEXT, before: '', after: '' }),
    parseReshape,
  ],
  [judgementPrompt({ ...TASK, action: '1932' }), parseJudgement],
];

/** What every language model does, an LLM or not. `open` is called once; the suite closes what it gives. */
export function describeLanguageModel(name: string, open: () => Promise<LanguageModel>): void {
  describe(`${name} as a LanguageModel`, () => {
    let model: LanguageModel;
    before(async () => void (model = await open()));
    after(async () => await model?.close());

    for (const [prompt, parse] of EVERY_PROMPT) {
      it(`replies to '${prompt.name}' in the form asked for, and tells what it cost`, async () => {
        const asked = structuredClone(prompt);
        const { text, usage } = await model.complete(prompt);
        assert.doesNotThrow(() => parse(text));
        assert.ok(usage.calls >= 1);
        for (const count of Object.values(usage)) assert.ok(Number.isInteger(count) && count >= 0);
        assert.deepEqual(prompt, asked);
      });
    }

    it('answers many prompts at once, each its own', async () => {
      const replies = await Promise.all(EVERY_PROMPT.map(async ([prompt, parse]) => parse((await model.complete(prompt)).text)));
      assert.equal(replies.length, EVERY_PROMPT.length);
    });

    it('rejects with the reason of a signal that has aborted, and goes on working', async () => {
      const [prompt] = EVERY_PROMPT[0] as (typeof EVERY_PROMPT)[0];
      const reason = new Error('no longer wanted');
      await assert.rejects(model.complete(prompt, { signal: AbortSignal.abort(reason) }), reason);
      assert.notEqual((await model.complete(prompt)).text, '');
    });

    it('has a name to show', () => assert.notEqual(model.name.trim(), ''));
  });
}
