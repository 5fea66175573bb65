import assert from 'node:assert/strict';

import { ask, type Asking } from '../../activities/asking.js';
import { InMemoryVectorStore } from '../../src/adapters/in-memory.js';
import { EngraphError } from '../../src/domain/failure.js';
import { parseAnswer } from '../../src/prompts/answer.js';
import { Drafts } from '../../src/store/drafts.js';
import { anAnswerPrompt, VALID_ANSWER } from '../support/prompts.js';
import { ScriptedModel, type Script } from '../support/scripted-model.js';
import { WordEmbedder } from '../support/word-embedder.js';

const QUESTION = { space: 'ann', batchId: 'b1' };
const truncated = () => {
  throw new EngraphError('llm_truncated', 'cut', { details: { usage: { calls: 1, inputTokens: 100, outputTokens: 1_500 } } });
};

interface Scene {
  readonly model: ScriptedModel;
  readonly drafts: Drafts;
  /** Asks the question as an attempt of its activity does. */
  asked(attempt?: number): ReturnType<typeof ask>;
}

async function scene(script: Script): Promise<Scene> {
  const store = new InMemoryVectorStore();
  await store.ensure(new WordEmbedder().identity);
  const model = new ScriptedModel(script);
  const asking: Asking = { model, drafts: new Drafts(store) };
  return { ...asking, model, asked: (attempt = 1) => ask(asking, { ...QUESTION, attempt }, anAnswerPrompt(), parseAnswer) };
}

/** What the drafts say was sent is what the model was asked. */
async function assertCounted({ model, drafts }: Scene): Promise<void> {
  const { calls, begun } = await drafts.ledger('ann');
  assert.deepEqual([calls, begun], [model.asked.length, model.asked.length]);
}

describe('a question to the model', () => {
  it('is answered, with what that cost', async () => {
    const here = await scene({ answer: () => VALID_ANSWER });
    const { reply, spent } = await here.asked();
    assert.deepEqual(reply, { answer: 'oolong', cited: [1], known: true });
    assert.deepEqual(spent, { calls: 1, inputTokens: 100, outputTokens: 10, model: 'scripted' });
    await assertCounted(here);
  });

  it('is never asked again once its answer is kept, and costs the same however often it is told', async () => {
    const here = await scene({ answer: () => VALID_ANSWER });
    const first = await here.asked();
    assert.deepEqual(await here.asked(2), first);
    assert.equal(here.model.asked.length, 1);
    await assertCounted(here);
  });

  it('costs nothing where another has bought the answer, and the same again for whoever did', async () => {
    const here = await scene({ answer: () => VALID_ANSWER });
    const by = (buyer: string) => ask(here, { ...QUESTION, attempt: 1, buyer }, anAnswerPrompt(), parseAnswer);
    const costs = [(await by('dry run')).spent, (await by('real run')).spent, (await by('dry run')).spent];
    assert.deepEqual(
      costs.map(({ calls, inputTokens }) => [calls, inputTokens]),
      [
        [1, 100],
        [0, 0],
        [1, 100],
      ],
    );
    await assertCounted(here);
  });

  it('is asked once more with room for more tokens where the answer was cut off', async () => {
    const here = await scene({ answer: (_, n) => (n === 0 ? truncated() : VALID_ANSWER) });
    const { spent } = await here.asked();
    assert.deepEqual(spent, { calls: 2, inputTokens: 200, outputTokens: 1_510, model: 'scripted' });
    const [short, long] = here.model.asked;
    assert.ok((long?.maxTokens ?? 0) > (short?.maxTokens ?? 0));
    await assertCounted(here);
    assert.deepEqual((await here.asked(2)).spent, spent);
    assert.equal(here.model.asked.length, 2, 'an attempt repeated buys neither again');
  });

  it('fails as cut off where the longer answer is cut off too', async () => {
    const here = await scene({ answer: truncated });
    await assert.rejects(here.asked(), { kind: 'llm_truncated' });
    assert.equal(here.model.asked.length, 2);
    await assertCounted(here);
  });

  it('is repaired once where the answer cannot be read', async () => {
    const here = await scene({ answer: () => 'Oolong, I think.', repair_reply: () => VALID_ANSWER });
    const { reply, spent } = await here.asked();
    assert.deepEqual([reply, spent.calls], [{ answer: 'oolong', cited: [1], known: true }, 2]);
    assert.match(here.model.asks('repair_reply')[0]?.user ?? '', /<unreadable_reply>Oolong, I think/u);
    assert.deepEqual((await here.asked(2)).spent, spent);
    assert.equal(here.model.asked.length, 2);
    await assertCounted(here);
  });

  it('fails as unparseable after one repair, tells what both cost, and keeps the raw answers but not in the failure', async () => {
    const here = await scene({ answer: () => 'Oolong, SECRET.', repair_reply: () => 'Still SECRET.' });
    await assert.rejects(here.asked(), (error) => {
      assert.ok(error instanceof EngraphError);
      assert.equal(error.kind, 'llm_unparseable');
      assert.deepEqual(error.details['spent'], { calls: 2, inputTokens: 200, outputTokens: 20, model: 'scripted' });
      assert.doesNotMatch(`${error.message}${JSON.stringify(error.details)}`, /SECRET/u);
      return true;
    });
    assert.equal((await here.drafts.find('ann', 'b1'))?.reply, 'Oolong, SECRET.');
    await assertCounted(here);
  });

  it('counts a call that got lost with its process', async () => {
    const here = await scene({ answer: () => VALID_ANSWER });
    await here.drafts.begin('ann', 'b1', { prompt: 'answer', model: 'scripted', attempt: 1 });
    assert.equal((await here.asked(2)).spent.calls, 2);
  });

  it('passes on any other failure with nothing asked again, and counts the request', async () => {
    const here = await scene({
      answer: () => {
        throw new EngraphError('llm_quota', 'used up');
      },
    });
    await assert.rejects(here.asked(), { kind: 'llm_quota' });
    assert.equal(here.model.asked.length, 1);
    assert.deepEqual(await here.drafts.ledger('ann'), {
      begun: 1,
      answered: 0,
      failed: 1,
      calls: 1,
      inputTokens: 0,
      outputTokens: 0,
    });
  });
});
