import assert from 'node:assert/strict';

import { RulesModel } from '../../src/adapters/rules.js';
import { parseReconcile, reconcilePrompt } from '../../src/prompts/reconcile.js';

const ask = async (fact: string, ...memories: readonly { text: string; speaker?: string }[]) => {
  const input = { fact: { text: fact, speaker: 'Mira' }, memories: memories.map((memory, at) => ({ n: at + 1, ...memory })) };
  return parseReconcile((await new RulesModel().complete(reconcilePrompt(input))).text).verdicts;
};

describe('facts held against older ones by rules', () => {
  it('are merged where they say the same in the same words of the same person, and with nothing else', async () => {
    const same = { text: 'mira keeps: two ferrets', speaker: 'Mira' };
    assert.deepEqual(await ask('Mira keeps two ferrets.', { text: 'Mira has a boat', speaker: 'Mira' }, same), [
      { n: 2, verdict: 'merge', text: null },
    ]);
    assert.deepEqual(await ask('Mira keeps two ferrets.', { ...same, speaker: 'Ben' }), []);
  });

  it('are never taken to replace anything', async () => {
    assert.deepEqual(await ask('Mira lives in Paris.', { text: 'Mira lives in Berlin.', speaker: 'Mira' }), []);
  });
});
