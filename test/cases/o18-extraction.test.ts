import assert from 'node:assert/strict';

import { OnnxTokenScorer } from '../../src/adapters/onnx-token-scorer.js';
import { ScoredCompressor } from '../../src/adapters/scored-compressor.js';
import type { FactsInput } from '../../src/prompts/inputs-facts.js';
import { aBatch, aTurn, factActivities, factsReply, freshMemory, storing } from '../support/conversations.js';
import { miniLmDir } from '../support/minilm.js';
import { ScriptedModel } from '../support/scripted-model.js';

const WORDS = 'the river was slow and people came with bread to sit in grass under trees while boats went by'.split(' ');
const LONG = `${Array.from({ length: 900 }, (_, at) => WORDS[(at * 7) % WORDS.length]).join(' ')}. My locker code is 5521.`;

/** What the extraction model reads of these turns at a kept share of 0.5. */
async function readBy(...texts: readonly string[]): Promise<readonly string[]> {
  const memory = await freshMemory();
  const topic = await storing(
    memory,
    texts.map((text) => aTurn(text)),
  );
  const model = new ScriptedModel({ facts: () => factsReply([]) });
  const compressor = new ScoredCompressor(await OnnxTokenScorer.open(await miniLmDir()));
  await factActivities(memory, { model, compressor }).extractFacts(aBatch([topic], { keepShare: 0.5 }));
  const kept = await memory.nodes.read(
    'u1',
    topic.turns.map(({ turnId }) => turnId),
  );
  assert.deepEqual(
    kept.map(({ text }) => text),
    texts,
    'the stored turns are whole',
  );
  const [section] = (model.asked[0]?.input as FactsInput).sections;
  return section?.turns.map(({ text }) => text) ?? [];
}

describe('O18 · a turn longer than the compressor reads at once, and turns of nothing to leave out', function () {
  this.timeout(120_000);

  it('reach the extraction: the long one shorter, with what stands at its end, the others as they are', async () => {
    const [long = '', dots, ok] = await readBy(LONG, '... !!! ...', 'ok');
    assert.ok(long.includes('5521') && long.length < LONG.length * 0.7, `${long.length} of ${LONG.length} characters`);
    assert.deepEqual([dots, ok], ['... !!! ...', 'ok']);
  });
});

describe('O19 · identifiers, doses and negations in a text to be shortened', function () {
  this.timeout(120_000);

  it('reach the extraction whole and in order', async () => {
    const text = 'I am NOT allergic to peanuts. My plate is B7K-4821-XQ and the dose is 0.25 mg, never 2.5 mg, except on 3 May.';
    const [read = ''] = await readBy(text);
    const places = ['NOT', 'B7K-4821-XQ', '0.25 mg', 'never', '2.5 mg', 'except', '3 May'].map((part) => read.indexOf(part));
    assert.ok(
      places.every((place, at) => place >= 0 && place > (places[at - 1] ?? -1)),
      read,
    );
  });
});
