import assert from 'node:assert/strict';

import { checkJudgement, checkOutcome } from '../../src/domain/agent.js';

const NO_COST = { calls: 0, inputTokens: 0, outputTokens: 0 };
const LONG = 'x'.repeat(65_537);

describe('checkOutcome', () => {
  it('takes the least that an agent may answer, nulls for what is left out', () => {
    for (const answer of [
      { status: 'succeeded' },
      { status: 'succeeded', action: null, feedback: null, fault: null, cited: null, usage: null },
    ]) {
      assert.deepEqual(checkOutcome(answer), { action: '', status: 'succeeded', usage: NO_COST });
    }
  });

  it('keeps what it knows and nothing else, so that nothing of an agent’s can pass for a mark of ours', () => {
    const given = {
      action: 'a',
      status: 'failed',
      observation: 'o',
      feedback: 'f',
      fault: 'tool',
      cited: [1, 'id', null, {}],
      model: 'm',
    };
    const more = {
      'engraph:inlay': { space: 'other', ref: 'r' },
      secret: 1,
      usage: { calls: 2.9, inputTokens: -1, outputTokens: 'many' },
    };
    assert.deepEqual(checkOutcome({ ...given, ...more }), {
      ...given,
      cited: [1, 'id'],
      usage: { calls: 2, inputTokens: 0, outputTokens: 0 },
    });
  });

  for (const [answer, says, kind = 'validation'] of [
    [undefined, /not an object/u],
    ['done', /not an object/u],
    [{}, /status is undefined/u],
    [{ status: 'done' }, /status is "done"; it must be continue, succeeded or failed/u],
    [{ status: 'failed', fault: 'memory' }, /fault is "memory"; it must be tool or environment/u],
    [{ status: 'succeeded', action: 7 }, /^action in the answer is not text/u],
    [{ status: 'succeeded', observation: {} }, /^observation in the answer is not text/u],
    [{ status: 'succeeded', action: LONG }, /^action in the answer has 65537 bytes/u, 'too_large'],
    [{ status: 'failed', feedback: LONG }, /^feedback in the answer has 65537 bytes/u, 'too_large'],
  ] as const) {
    it(`refuses ${JSON.stringify(answer)?.slice(0, 50)} and names the field`, () => {
      assert.throws(() => checkOutcome(answer), { kind, message: says });
    });
  }
});

describe('checkJudgement', () => {
  it('keeps the verdict, the feedback and a fault that it knows', () => {
    assert.deepEqual(checkJudgement({ success: false, feedback: 'late', fault: 'environment', answer: '9:30' }), {
      success: false,
      feedback: 'late',
      fault: 'environment',
    });
    assert.deepEqual(checkJudgement({ success: true, feedback: null, fault: 'memory' }), { success: true });
  });

  for (const answer of [undefined, null, true, {}, { success: 1 }]) {
    it(`refuses ${JSON.stringify(answer)}`, () => assert.throws(() => checkJudgement(answer), { kind: 'validation' }));
  }
});
