import assert from 'node:assert/strict';

import { InMemoryVectorStore } from '../../src/adapters/in-memory.js';
import { EngraphError } from '../../src/domain/failure.js';
import { Drafts } from '../../src/store/drafts.js';
import { Texts } from '../../src/store/texts.js';
import { WordEmbedder } from '../support/word-embedder.js';

const SPACE = 'a space';
const CALL = { prompt: 'attribution', model: 'a model' } as const;
const usage = (calls: number, inputTokens = 0, outputTokens = 0) => ({ calls, inputTokens, outputTokens });

async function openStore(): Promise<InMemoryVectorStore> {
  const store = new InMemoryVectorStore();
  await store.ensure(new WordEmbedder().identity);
  return store;
}

describe('Drafts', () => {
  it('keep the first answer, so that a second is never asked for', async () => {
    const drafts = new Drafts(await openStore());
    assert.equal(await drafts.find(SPACE, 'batch'), undefined);
    assert.equal((await drafts.begin(SPACE, 'batch', CALL)).reply, undefined);
    await drafts.answer(SPACE, 'batch', { reply: 'first', usage: usage(1, 10, 5) });
    assert.equal((await drafts.answer(SPACE, 'batch', { reply: 'second', usage: usage(1, 10, 5) })).reply, 'first');
    const again = await drafts.begin(SPACE, 'batch', { ...CALL, attempt: 2 });
    assert.deepEqual(again, { batchId: 'batch', ...CALL, begun: 1, failed: 0, usage: usage(2, 20, 10), reply: 'first' });
    assert.deepEqual(await drafts.find(SPACE, 'batch'), again);
  });

  it('count every call that was begun, also by attempts at the same moment', async () => {
    const drafts = new Drafts(await openStore());
    await Promise.all([1, 2, 3, 4].map((attempt) => drafts.begin(SPACE, 'batch', { ...CALL, attempt })));
    assert.equal((await drafts.find(SPACE, 'batch'))?.begun, 4);
  });

  it('sum up to a ledger, of all batches or of those whose id starts so, lost calls in plain sight', async () => {
    const drafts = new Drafts(await openStore());
    await drafts.begin(SPACE, 'task/1', CALL);
    await drafts.answer(SPACE, 'task/1', { reply: 'yes', usage: usage(2, 100, 10) });
    await drafts.begin(SPACE, 'task/2', CALL);
    await drafts.fail(SPACE, 'task/2', { usage: usage(1, 50) });
    await drafts.begin(SPACE, 'task/2', { ...CALL, attempt: 2 });
    await drafts.begin(SPACE, 'other', CALL);
    await drafts.begin('another space', 'task/1', CALL);
    assert.deepEqual(await drafts.ledger(SPACE, 'task/'), { begun: 3, answered: 1, failed: 1, ...usage(3, 150, 10) });
    assert.deepEqual(await drafts.ledger(SPACE), { begun: 4, answered: 1, failed: 1, ...usage(3, 150, 10) });
    assert.deepEqual(await drafts.ledger('no space'), { begun: 0, answered: 0, failed: 0, ...usage(0) });
  });

  it('know no answer to a call that was not begun', async () => {
    const drafts = new Drafts(await openStore());
    const unknown = (error: unknown) =>
      error instanceof EngraphError && error.kind === 'not_found' && error.message.includes('batch 7');
    await assert.rejects(drafts.answer(SPACE, 'batch 7', { reply: '', usage: usage(1) }), unknown);
    await assert.rejects(drafts.fail(SPACE, 'batch 7'), unknown);
  });
});

describe('Texts', () => {
  it('keep a text once a space, code unit for code unit, under a reference made from it', async () => {
    const store = await openStore();
    const texts = new Texts(store);
    for (const text of ['', 'a', 'ab🔥'.repeat(3000), '用户\u0000\n']) {
      const ref = await texts.keep(SPACE, text);
      assert.equal(await texts.keep(SPACE, text), ref);
      assert.equal(await texts.read(SPACE, ref), text);
      assert.notEqual(await texts.keep('another space', text), ref);
    }
    assert.equal(await store.count(SPACE), 4);
  });

  it('say which reference is not there', async () => {
    const texts = new Texts(await openStore());
    const ref = await texts.keep(SPACE, 'mine');
    const missing = (error: unknown) =>
      error instanceof EngraphError && error.kind === 'not_found' && error.message.includes(ref);
    await assert.rejects(texts.read('another space', ref), missing);
  });
});
