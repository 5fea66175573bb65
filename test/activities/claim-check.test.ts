import assert from 'node:assert/strict';

import { defaultPayloadConverter, type Payload } from '@temporalio/common';

import { InMemoryVectorStore } from '../../src/adapters/in-memory.js';
import { ClaimCheck } from '../../src/claim-check.js';
import { claim, inlay, type Ref } from '../../src/domain/claim.js';
import { Texts } from '../../src/store/texts.js';
import { WordEmbedder } from '../support/word-embedder.js';

const payloadOf = (value: unknown): Payload => defaultPayloadConverter.toPayload(value);
const valueOf = (payload: Payload | undefined): unknown => defaultPayloadConverter.fromPayload(payload as Payload);

describe('the claim check', () => {
  let texts: Texts;
  let check: ClaimCheck;

  beforeEach(async () => {
    const store = new InMemoryVectorStore();
    await store.ensure(new WordEmbedder().identity);
    texts = new Texts(store);
    check = new ClaimCheck(texts);
  });

  const encoded = async (value: unknown): Promise<unknown> => valueOf((await check.encode([payloadOf(value)]))[0]);

  it('keeps a claim in its space and leaves the reference', async () => {
    const { 'engraph:ref': ref } = (await encoded(claim('ann', 'oolong 用户 🔥\n'))) as Ref;
    assert.equal(await texts.read('ann', ref), 'oolong 用户 🔥\n');
    await assert.rejects(texts.read('bob', ref), { kind: 'not_found' });
  });

  it('replaces an inlay by the kept text', async () => {
    const ref = await texts.keep('ann', 'the context');
    assert.deepEqual(await encoded({ context: inlay('ann', ref), round: 1 }), { context: 'the context', round: 1 });
  });

  it('finds both at any depth, and leaves everything around as it is', async () => {
    const ref = await texts.keep('ann', 'kept');
    const around = { n: 1.5, none: null, yes: true, list: [1, 'two', []], empty: {} };
    const read = (await encoded({ ...around, deep: [{ a: [claim('ann', 'one')] }, { b: { c: inlay('ann', ref) } }] })) as {
      deep: [{ a: [Ref] }, { b: { c: string } }];
    };
    const { deep, ...rest } = read;
    assert.deepEqual(rest, around);
    assert.equal(await texts.read('ann', deep[0].a[0]['engraph:ref']), 'one');
    assert.equal(deep[1].b.c, 'kept');
  });

  it('does not touch a text that merely holds the words, inside or instead of a claim', async () => {
    const words = '{"engraph:claim": {"space": "bob", "text": "x"}} and "engraph:inlay"';
    const plain = { action: words, 'engraph:claims': 1 };
    assert.deepEqual(await encoded(plain), plain);
    const { 'engraph:ref': ref } = (await encoded(claim('ann', words))) as Ref;
    assert.equal(await texts.read('ann', ref), words);
    const kept = await texts.keep('ann', words);
    assert.deepEqual(
      await encoded({ context: inlay('ann', kept) }),
      { context: words },
      'what an inlay brings is not read again',
    );
  });

  it('passes on what has no mark, byte for byte, and what is no JSON', async () => {
    const plain = payloadOf({ a: 1 });
    const binary = payloadOf(new TextEncoder().encode('{"engraph:claim": {"space": "a", "text": "b"}}'));
    const [one, other] = await check.encode([plain, binary]);
    assert.equal(one, plain);
    assert.equal(other, binary);
    assert.deepEqual(await check.decode([plain]), [plain]);
  });

  it('fails where an inlay’s text is not there, so that no agent is asked without its context', async () => {
    await assert.rejects(encoded({ context: inlay('ann', 'nothing') }), { kind: 'not_found' });
  });
});
